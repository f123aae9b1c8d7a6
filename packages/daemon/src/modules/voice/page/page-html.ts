/**
 * The caption page. Script and style are separate files, because the content security policy
 * forbids inline ones.
 */
export const PAGE_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Steward: voice</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/voice/page/style.css">
<script type="module" src="/voice/page/app.js"></script>
</head>
<body>
<main>
<header>
<h1>Voice</h1>
<p id="state" role="status">Connecting</p>
<button id="speak" type="button" aria-pressed="false">Speak here</button>
</header>
<p id="caption" role="log" aria-live="polite" dir="auto"></p>
<p id="note"></p>
<section aria-labelledby="earlier"><h2 id="earlier">Earlier</h2><ol id="history" reversed></ol></section>
</main>
</body>
</html>
`
