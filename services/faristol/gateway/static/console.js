// Speeds a console up: a form with data-quick is sent without leaving the page, a list narrows as one types, a file goes
// into the field that a list is pasted in. Everything works without it.

function found(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function narrow(field) {
  const wanted = found(field.value).split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of document.querySelectorAll(field.dataset.finds)) {
    const name = found(row.dataset.name);
    row.hidden = !wanted.every((word) => name.split(/\s+/).some((part) => part.startsWith(word)));
    if (!row.hidden) shown += 1;
  }
  const none = document.getElementById("none-found");
  if (none) none.hidden = shown > 0;
}

async function send(form) {
  form.classList.add("sent");
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: "POST", body });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  if (!page || (!answer.ok && answer.status !== 409 && answer.status !== 400)) return form.submit();
  document.dispatchEvent(new CustomEvent("faristol:page", { detail: page }));
  form.classList.remove("sent");
  document.dispatchEvent(new CustomEvent("faristol:sent", { detail: form }));
  for (const field of document.querySelectorAll("[data-finds]")) narrow(field);
  const said = document.querySelector(".console > .notice");
  const status = document.getElementById("status");
  if (said && status) status.textContent = said.textContent.trim();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.classList.contains("sent")) return event.preventDefault(); // twice in a moment
  if (form.dataset.quick === undefined) return form.classList.add("sent");
  event.preventDefault();
  send(form).catch(() => form.submit());
});
window.addEventListener("pageshow", () => document.querySelectorAll(".sent").forEach((form) => form.classList.remove("sent")));

document.addEventListener("input", (event) => {
  if (event.target.dataset?.finds) narrow(event.target);
});
document.addEventListener("keydown", (event) => {
  if (!event.target.dataset?.finds || event.key !== "Enter") return;
  event.preventDefault(); // it looks for a row, and sends nothing by itself
  const shown = [...document.querySelectorAll(event.target.dataset.finds)].filter((row) => !row.hidden);
  if (shown.length !== 1) return;
  const [form, box] = ["form[data-quick]", "[type=checkbox]:enabled"].map((wanted) => shown[0].querySelector(wanted));
  if (form) form.requestSubmit();
  else if (box) box.checked = !box.checked;
  event.target.select();
});

document.addEventListener("change", (event) => {
  const into = event.target.dataset?.into && document.querySelector(event.target.dataset.into);
  const [file] = event.target.files ?? [];
  if (into && file) file.text().then((text) => (into.value = text));
});

for (const field of document.querySelectorAll(".from-file")) field.hidden = false;
for (const field of document.querySelectorAll("[data-finds]")) if (field.value) narrow(field);
