import { PAGE_HEADERS } from '@steward/http'
import { PAGE_HTML } from './page-html.ts'
import { PAGE_SCRIPT } from './page-script.ts'
import { PAGE_STYLE } from './page-style.ts'

const FILES = {
  'index.html': { text: PAGE_HTML, type: 'text/html; charset=utf-8' },
  'app.js': { text: PAGE_SCRIPT, type: 'text/javascript; charset=utf-8' },
  'style.css': { text: PAGE_STYLE, type: 'text/css; charset=utf-8' },
} as const

/** The page comes with the program: nothing to build, nothing to find on disk. */
export const serveVoicePage = (file: keyof typeof FILES): Response => {
  const { text, type } = FILES[file]
  return new Response(text, {
    headers: { ...PAGE_HEADERS, 'content-type': type, 'cache-control': 'no-cache' },
  })
}
