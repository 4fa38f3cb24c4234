// Makes a console faster: a form with data-quick is sent without leaving the page, a list is filtered while a user
// types, and a file can be loaded into a text field. Everything works without this script.

import { begins, wordsOf } from "./names.js";

function narrow(field) {
  const wanted = wordsOf(field.value);
  let shown = 0;
  for (const row of document.querySelectorAll(field.dataset.finds)) {
    row.hidden = !begins(wanted, wordsOf(row.dataset.name));
    if (!row.hidden) shown += 1;
  }
  const none = document.getElementById("none-found");
  if (none) none.hidden = shown > 0;
}

// Typed input stays in the tab until an answer shows that the session has not ended. After the next sign-in the form
// has it again.
const UNSENT = "faristol-unsent";
const ENDED = "faristol-ended"; // set on the page to sign in
const OWN = new Set(["command_id", "sure"]); // fields that belong to one form only

function remember(form) {
  if (!form.closest(".console")) return;
  const kept = { path: new URL(form.action).pathname, fields: [...new URLSearchParams(new FormData(form))] };
  try {
    sessionStorage.setItem(UNSENT, JSON.stringify(kept));
  } catch (problem) {
    if (problem.name !== "QuotaExceededError") throw problem; // a list that is too long for the storage of a tab
  }
}

function giveBack() {
  const [kept, ended] = [UNSENT, ENDED].map((name) => sessionStorage.getItem(name));
  for (const name of [UNSENT, ENDED]) sessionStorage.removeItem(name);
  if (!kept || !ended) return;
  const { path, fields } = JSON.parse(kept);
  if (path !== location.pathname) return;
  const wanted = fields.filter(([name]) => !OWN.has(name));
  const isOf = (form) =>
    wanted.every(([name, value]) => {
      const own = form.elements.namedItem(name);
      return own && (own.type !== "hidden" || own.value === value || name === "expected_version");
    });
  const form = [...document.querySelectorAll(".console form")].find(isOf);
  if (!form) return;
  for (const box of form.querySelectorAll("[type=checkbox]")) box.checked = false;
  for (const [name, value] of wanted) {
    const own = form.elements.namedItem(name);
    if (own.type === "checkbox") own.checked = true;
    else own.value = value;
  }
  for (let around = form.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  document.getElementById("given-back").hidden = false;
  form.querySelector("input:not([type=hidden]), textarea, select")?.focus();
}

async function send(form) {
  form.classList.add("sent");
  remember(form);
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: "POST", body });
  if (new URL(answer.url).pathname === "/sign-in") return location.assign(answer.url);
  sessionStorage.removeItem(UNSENT);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  if (!page || (!answer.ok && answer.status !== 409 && answer.status !== 400)) return form.submit();
  document.dispatchEvent(new CustomEvent("faristol:page", { detail: page }));
  form.classList.remove("sent");
  document.dispatchEvent(new CustomEvent("faristol:sent", { detail: form }));
  for (const field of document.querySelectorAll("[data-finds]")) narrow(field);
  const said = document.querySelector(".console > .notice:not([hidden])");
  const status = document.getElementById("status");
  if (said && status) status.textContent = said.textContent.trim();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.classList.contains("sent")) return event.preventDefault(); // pressed twice within a moment
  if (form.dataset.quick === undefined) {
    remember(form);
    return form.classList.add("sent");
  }
  event.preventDefault();
  send(form).catch(() => form.submit());
});
window.addEventListener("pageshow", () => document.querySelectorAll(".sent").forEach((form) => form.classList.remove("sent")));

document.addEventListener("input", (event) => {
  if (event.target.dataset?.finds) narrow(event.target);
});
document.addEventListener("keydown", (event) => {
  if (!event.target.dataset?.finds || event.key !== "Enter") return;
  event.preventDefault(); // the field filters rows; Enter must not send the form
  const shown = [...document.querySelectorAll(event.target.dataset.finds)].filter((row) => !row.hidden);
  if (shown.length !== 1) return;
  const [row] = shown;
  const form = row.querySelector("form[data-quick]");
  const box = [...row.querySelectorAll("[type=checkbox]:enabled")].find((one) => !one.closest("details"));
  const folded = row.querySelector("details");
  if (!form && !box && folded) {
    folded.open = true;
    return folded.querySelector("input:not([type=hidden])")?.select();
  }
  if (form) form.requestSubmit();
  else if (box) box.checked = !box.checked;
  event.target.select();
});

// A spreadsheet may write a list in the old encoding of its country, or in UTF-16. The server detects the encoding and
// names it.
async function readFile(field, encoding) {
  const [file] = field.files ?? [];
  const told = document.querySelector(field.dataset.told);
  if (!file) return;
  const answer = await fetch(`${field.dataset.read}?encoding=${encodeURIComponent(encoding)}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: await file.arrayBuffer(),
  });
  if (new URL(answer.url).pathname === "/sign-in") return location.assign(answer.url);
  const said = await answer.json().catch(() => ({ problem: `${answer.status} ${answer.statusText}` }));
  if (answer.ok) document.querySelector(field.dataset.into).value = said.text;
  told.textContent = said.encoding ?? said.problem ?? said.detail;
  document.getElementById(`${told.id}-told`).value = answer.ok ? said.encoding : "";
}

document.addEventListener("change", (event) => {
  const chosen = event.target.dataset?.encodingOf;
  if (event.target.dataset?.read) readFile(event.target, "");
  if (chosen) readFile(document.querySelector(chosen), event.target.value);
});
document.addEventListener("click", (event) => {
  if (event.target.dataset?.into) event.target.value = ""; // the same file can be chosen again after a correction
});

for (const field of document.querySelectorAll(".from-file")) field.hidden = false;
for (const field of document.querySelectorAll("[data-finds]")) if (field.value) narrow(field);
giveBack();
