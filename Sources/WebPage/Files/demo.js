// Puts like buttons of some news on the example page, as any page could: it makes the elements.

document.querySelector("#origin").textContent = location.origin;

const list = document.querySelector("#buttons");

const response = await fetch("/v1/feed?limit=3");
const { news } = response.ok ? await response.json() : { news: [] };
document.querySelector("#none").hidden = news.length > 0;

for (const { id, title } of news) {
  const row = document.createElement("p");
  const button = document.createElement("like-button");
  button.setAttribute("news", id);
  button.setAttribute("label", title);
  row.append(`${title} `, button);
  list.append(row);
}

addEventListener("like-changed", ({ detail }) => {
  const { news, liked, likesCount } = detail;
  document.querySelector("#said").textContent = `${news}: ${liked ? "liked" : "not liked"}, ${likesCount}`;
});
