import { PAGE_HEADERS } from '@steward/http'

import { PAGE_SCRIPT } from './page-script.ts'

const PAGE_STYLE = `:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 44rem; margin: 0 auto; padding: 1.5rem; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 1rem; }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: 1rem; }
#state { margin: 0; margin-inline-end: auto; opacity: 0.75; }
#caption { font-size: 2rem; line-height: 1.3; min-height: 4em; overflow-wrap: anywhere; }
#caption.silent { opacity: 0.75; font-style: italic; }
#note { min-height: 1.5em; }
#history li { overflow-wrap: anywhere; margin-bottom: 0.25rem; }
button { font: inherit; padding: 0.4rem 1rem; min-height: 2.5rem; }
button[aria-pressed='true'] { font-weight: bold; }
:focus-visible { outline: 3px solid; outline-offset: 2px; }
`

/**
 * The caption page. Script and style are separate files, because the content security policy
 * forbids inline ones.
 */
const PAGE_HTML = `<!doctype html>
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

const FILES = {
  'index.html': { text: PAGE_HTML, type: 'text/html; charset=utf-8' },
  'app.js': { text: PAGE_SCRIPT, type: 'text/javascript; charset=utf-8' },
  'style.css': { text: PAGE_STYLE, type: 'text/css; charset=utf-8' },
} as const

/** The page is part of the program, so it needs no build and no files. */
export const serveVoicePage = (file: keyof typeof FILES): Response => {
  const { text, type } = FILES[file]
  return new Response(text, {
    headers: { ...PAGE_HEADERS, 'content-type': type, 'cache-control': 'no-cache' },
  })
}
