// Results by the keyboard alone: Enter goes on to the next field, the names of a table are read back as soon as its number
// is typed, and after a result the table is asked again. Whoever types ahead while a result is on its way loses nothing.

const usual = document.getElementById("entry-names")?.textContent ?? "";

let waits = false; // for the answer to a result
let keys = []; // typed meanwhile
let refused = ""; // the table of a result that was not taken, while its figures stand in the form

const form = () => document.getElementById("entry");
const fields = () => [...form().querySelectorAll("input:not([type=hidden])")];

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

// Enter in a field: on to the next empty one, and from the last one off. Behind another table no figures stand that were
// typed for the one before.
function enter(field) {
  const all = fields();
  if (field.name === "table" && !field.value.trim()) return; // figures without a table would wait for that of the next
  if (field.name === "table" && refused && field.value.trim() !== refused) {
    refused = "";
    for (const other of all.slice(1)) other.value = "";
  }
  const next = all.slice(all.indexOf(field) + 1).find((other) => !other.value.trim());
  if (next) next.focus();
  else form().requestSubmit();
}

// What was typed while a result was on its way, now that its answer is there.
function typeAhead() {
  while (keys.length && !waits) {
    const key = keys.shift();
    const field = fields().includes(document.activeElement) ? document.activeElement : fields()[0];
    if (key === "Enter") enter(field);
    else if (key === "Backspace") field.value = field.value.slice(0, -1);
    else field.value += key;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

document.addEventListener("input", (event) => {
  if (event.target.form?.id !== "entry") return;
  if (event.target.name === "table") readBack();
  form().querySelector("[name=sure]")?.remove(); // other figures
});

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const own = target.form?.id === "entry" && target.tagName === "INPUT";
  const adrift = waits && target === document.body; // the field that had the focus was exchanged for a new one
  if (!own && !adrift) return;
  if (waits && !event.ctrlKey && !event.metaKey && (key.length === 1 || key === "Enter" || key === "Backspace")) {
    event.preventDefault();
    keys.push(key);
  } else if (key === "Enter") {
    event.preventDefault();
    enter(event.target);
  }
});

document.addEventListener("submit", (event) => {
  if (event.target.id === "entry") waits = true;
});

document.addEventListener("faristol:sent", ({ detail }) => {
  if (detail.id !== "entry") return;
  waits = false;
  const wrong = document.getElementById("said") || document.querySelector(".console > .notice.bad");
  if (wrong) {
    readBack();
    keys = []; // typed in the belief that it went well
    document.getElementById("status").textContent = wrong.textContent.replace(/\s+/g, " ").trim();
    refused = form().elements.table.value.trim();
    const isTable = document.getElementById("entry").dataset.wrong === "table";
    const last = isTable ? form().elements.table : fields().findLast((field) => field.value);
    last?.select(); // what is typed next takes its place, and is not put behind it
    return;
  }
  refused = "";
  for (const field of fields()) field.value = "";
  for (const choice of form().querySelectorAll("select")) choice.selectedIndex = 0;
  readBack();
  form().elements.table.focus();
  typeAhead();
});

if (form()?.elements.table.value) readBack();
