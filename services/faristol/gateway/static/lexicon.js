// The page of lexicons: compresses a word list from a file before it is sent, so that a large list is accepted.
const form = document.querySelector(".own-list");
const told = form?.querySelector("[role=alert]");

async function send(file) {
  const packed = await new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob();
  const fields = new FormData(form);
  for (const name of ["words", "act", "command_id"]) fields.delete(name);
  const answer = await fetch(`${form.dataset.send}?${new URLSearchParams(fields)}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: packed,
  });
  if (new URL(answer.url).pathname === "/sign-in") return location.assign(answer.url);
  if (answer.ok) return location.assign(form.dataset.then);
  const other = () => ({ problem: `${answer.status} ${answer.statusText}` });
  const { problem, detail } = answer.status === 413 ? { problem: form.dataset.large } : await answer.json().catch(other);
  told.textContent = problem ?? detail;
  told.hidden = false;
}

form?.addEventListener("submit", (event) => {
  const [file] = form.querySelector("[type=file]").files;
  if (!file) return;
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  send(file).finally(() => (button.disabled = false));
});

if (form && "CompressionStream" in window) form.querySelector(".from-file").hidden = false;
