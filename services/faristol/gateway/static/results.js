// Results by the keyboard alone: Enter goes on to the next field, the names of a table are read back as soon as its number
// is typed, and after a result the table is asked again.

const form = () => document.getElementById("entry");
const hint = document.getElementById("entry-names");
const usual = hint?.textContent ?? "";

function row(number) {
  return document.querySelector(`#tables [data-table="${CSS.escape(String(Number(number)))}"]`);
}

function readBack() {
  const number = form().elements.table.value.trim();
  const found = number && row(number);
  const names = found ? [0, 1, 2, 3].map((seat) => found.getAttribute(`data-name-${seat}`)).filter(Boolean) : [];
  for (const label of form().querySelectorAll("[data-seat]")) {
    label.dataset.plain ??= label.textContent;
    label.textContent = names[Number(label.dataset.seat)] ?? label.dataset.plain;
  }
  document.getElementById("entry-names").textContent = found
    ? found.querySelector("p").textContent.replace(/\s+/g, " ").trim()
    : usual;
}

document.addEventListener("input", (event) => {
  if (event.target.name === "table" && event.target.form?.id === "entry") readBack();
  if (event.target.form?.id === "entry") form().querySelector("[name=sure]")?.remove(); // other figures
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.form?.id !== "entry" || event.target.tagName !== "INPUT") return;
  const fields = [...form().querySelectorAll("input:not([type=hidden])")];
  const next = fields.slice(fields.indexOf(event.target) + 1).find((field) => !field.value.trim());
  if (!next) return;
  event.preventDefault();
  next.focus();
});

document.addEventListener("faristol:sent", () => {
  const wrong = document.getElementById("said") || document.querySelector(".console > .notice.bad");
  if (wrong) {
    document.getElementById("status").textContent = wrong.textContent.replace(/\s+/g, " ").trim();
    return;
  }
  form().reset();
  for (const field of form().querySelectorAll("input:not([type=hidden])")) field.value = "";
  readBack();
  form().elements.table.focus();
});

if (form()) {
  if (form().elements.table.value) readBack();
}
