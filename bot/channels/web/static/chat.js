// The chat page. Every message has an id of its own and waits in an outbox until the server has answered it, so that
// it is sent again after a lost connection and still has one effect. Replies come with the answer to a message and,
// for other tabs and after a reconnection, as events; whatever comes twice is shown once.
"use strict";

(() => {
  const chat = document.getElementById("chat");
  const log = chat.querySelector(".log");
  const talk = chat.querySelector(".talk");
  const text = document.getElementById("text");
  const composer = chat.querySelector(".composer");
  const status = document.getElementById("status");
  const { base, csrf } = chat.dataset;
  const key = `outbox:${base}:${chat.dataset.key}`;
  const hasKeyboard = matchMedia("(pointer: fine)").matches;
  let outbox = [];
  let last = Number(chat.dataset.last);
  let sending = false;
  let pause = 500;

  // ------------------------------------------------------------------------------------------------ what is shown

  const scroll = () => { log.scrollTop = log.scrollHeight; };

  const bubble = (kind, content) => {
    const item = document.createElement("li");
    item.className = kind;
    const words = document.createElement("p");
    words.className = "prose";
    words.textContent = content;
    item.append(words);
    return item;
  };

  const typing = bubble("bot typing", "");
  typing.firstChild.append(...[0, 1, 2].map(() => document.createElement("span")));
  const hint = document.createElement("span");
  hint.className = "only-read";
  hint.textContent = chat.dataset.typing;
  typing.firstChild.append(hint);
  typing.setAttribute("aria-hidden", "true");

  const showTyping = () => { if (outbox.length) talk.append(typing); else typing.remove(); scroll(); };

  const byMessage = (id) => [...talk.querySelectorAll(".pending")].find((item) => item.dataset.message === id);

  function place(html) {
    const made = document.createElement("template");
    made.innerHTML = html;
    const items = [...made.content.querySelectorAll("li")];
    if (!items.length) return;
    const number = Number(items[0].dataset.number);
    last = Math.max(last, number);
    byMessage(items[0].dataset.message)?.remove();
    if (talk.querySelector(`[data-number="${number}"]`)) return;
    const later = [...talk.children].find((item) => Number(item.dataset.number) > number || item.matches(".pending, .typing"));
    for (const item of items) talk.insertBefore(item, later ?? null);
    for (const image of talk.querySelectorAll("img")) watch(image);
    scroll();
    document.body.dispatchEvent(new Event("turn"));
  }

  const watch = (image) => {
    const drop = () => { image.closest("li").classList.remove("pictured"); image.remove(); };
    if (image.complete && !image.naturalWidth && image.currentSrc) drop();
    else image.addEventListener("error", drop, { once: true });
  };

  // ------------------------------------------------------------------------------------------------ what is sent

  const keep = () => { try { localStorage.setItem(key, JSON.stringify(outbox)); } catch { /* only for this page then */ } };
  const wait = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

  function say(message) {
    if (outbox.some((known) => known.message_id === message.message_id)) return;
    outbox.push(message);
    keep();
    pend(message);
    void flush();
  }

  function pend(message) {
    const item = bubble("me pending", message.label ?? message.text);
    item.dataset.message = message.message_id;
    talk.append(item);
    showTyping();
  }

  async function flush() {
    if (sending) return;
    sending = true;
    while (outbox.length) {
      const done = await send(outbox[0]);
      if (done) { outbox.shift(); keep(); pause = 500; status.textContent = ""; }
      else { await wait(pause); pause = Math.min(pause * 2, 8000); }
    }
    sending = false;
    showTyping();
  }

  async function send(message) {
    let answer;
    const { label, ...fields } = message;
    try {
      answer = await fetch(`${base}/messages`, {
        method: "POST", headers: { "X-CSRF-Token": csrf }, body: new URLSearchParams(fields), redirect: "error",
      });
      if (answer.ok && answer.status !== 204) { place(await answer.text()); return true; }
    } catch { answer = undefined; }
    if (!answer || answer.status >= 500 || answer.status === 429) {
      status.textContent = answer?.status === 429 ? chat.dataset.slow : chat.dataset.waiting;
      return false;
    }
    byMessage(message.message_id)?.remove();
    outbox.shift(); keep();
    location.assign(answer.headers.get("X-Go") ?? (base || "/"));
    return new Promise(() => {});
  }

  const newId = () => [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

  function submit(event) {
    const form = event.target;
    if (!form.matches("form.say")) return;
    event.preventDefault();
    if (form === composer) {
      const words = text.value.trim();
      if (!words) return;
      say({ message_id: newId(), text: words });
      text.value = "";
      grow();
      text.focus();
      return;
    }
    const button = event.submitter;
    const number = form.elements.message_id.value;
    const menu = form.closest("header");
    say({ message_id: menu ? newId() : number, option: button.value, label: button.textContent.trim() });
    if (!menu && hasKeyboard) text.focus({ preventScroll: true });
  }

  const grow = () => { text.rows = 1; while (text.scrollHeight > text.clientHeight + 4 && text.rows < 6) text.rows += 1; };

  function press(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      composer.requestSubmit();
    }
  }

  // ------------------------------------------------------------------------------------------------ what is heard

  let source;

  function listen() {
    source?.close();
    source = new EventSource(`${base}/events?after=${last}`);
    source.addEventListener("open", () => { status.textContent = ""; pause = 500; void flush(); });
    source.addEventListener("exchange", (event) => { place(event.data); });
    source.addEventListener("error", ({ target }) => {
      status.textContent = chat.dataset.lost;
      if (target === source && target.readyState === EventSource.CLOSED) setTimeout(attend, 2000);
    });
  }

  // A page that nobody sees does not listen: browsers keep few connections to one server.
  const attend = () => { if (document.hidden) source.close(); else listen(); };

  document.addEventListener("submit", submit);
  document.body.addEventListener("htmx:afterSwap", () => {
    if (document.activeElement === document.body || document.activeElement === text) document.getElementById("continue")?.focus();
  });
  text.addEventListener("keydown", press);
  text.addEventListener("input", grow);
  document.addEventListener("visibilitychange", attend);
  addEventListener("pagehide", () => { source.close(); });
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  try { outbox = JSON.parse(localStorage.getItem(key) ?? "[]"); } catch { outbox = []; }
  for (const message of outbox) pend(message);
  for (const image of talk.querySelectorAll("img")) watch(image);
  scroll();
  listen();
  void flush();
  chat.dataset.ready = "yes";
})();
