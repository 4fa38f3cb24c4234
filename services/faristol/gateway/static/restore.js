// The pages of a restore: sends the file of a backup, and waits until the restored record is served.
const RETRY_MS = 1000;
const form = document.querySelector(".backup");
const told = document.querySelector(".notice.bad");

function show(problem) {
  told.textContent = problem;
  told.hidden = false;
}

async function send(file) {
  const { send: address, most, tooLarge, interrupted } = form.dataset;
  if (file.size > Number(most)) return show(tooLarge); // a browser shows no answer that comes before it has sent all
  const headers = { "Content-Type": "application/octet-stream" };
  const answer = await fetch(address, { method: "POST", headers, body: file }).catch(() => undefined);
  if (answer === undefined) return show(interrupted);
  if (new URL(answer.url).pathname === "/sign-in") return location.assign(answer.url);
  const other = () => ({ problem: `${answer.status} ${answer.statusText}` });
  const { address: next, problem, detail } = await answer.json().catch(other);
  if (next) return location.assign(next);
  show(problem ?? detail);
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  send(form.querySelector("[type=file]").files[0]).finally(() => (button.disabled = false));
});

async function wait(address) {
  // The services of before the restore may still answer this address with this page.
  const answer = await fetch(address, { redirect: "manual" }).catch(() => undefined);
  const isOther = async () => answer.ok && !(await answer.text()).includes("data-wait-for");
  // A process that was started again knows no restore: 404, and the page that says so.
  const ready = answer && (answer.type === "opaqueredirect" || answer.status === 404 || (await isOther()));
  if (ready) location.assign(address);
  else setTimeout(wait, RETRY_MS, address);
}

const waiting = document.querySelector("[data-wait-for]");
if (waiting) wait(waiting.dataset.waitFor);
