import { Cursor } from '../cursor.ts'
import { parseExpansions, type ScriptReaders } from '../parse-word.ts'
import type { Redirect, WordPart } from '../syntax.ts'
import type { HereEnd } from './parser.ts'

/** Collects here-documents, whose bodies follow the line that declares them. */
export class HereDocuments {
  private waiting: { redirect: Redirect; end: HereEnd }[] = []

  await(redirect: Redirect, end: HereEnd): void {
    this.waiting.push({ redirect, end })
  }

  /** Reads the bodies of all here-documents declared on the previous line. */
  read(cursor: Cursor, readers: ScriptReaders): void {
    const { waiting } = this
    this.waiting = []
    for (const { redirect, end } of waiting) readBody(cursor, readers, redirect, end)
  }
}

const readBody = (
  cursor: Cursor,
  readers: ScriptReaders,
  redirect: Redirect,
  end: HereEnd,
): void => {
  const start = cursor.position
  let body = ''
  while (!cursor.done) {
    const stop = cursor.text.indexOf('\n', cursor.position)
    const line = cursor.text.slice(cursor.position, stop === -1 ? undefined : stop)
    cursor.position = stop === -1 ? cursor.text.length : stop + 1
    const shown = end.dashed ? line.replace(/^\t+/, '') : line
    if (shown === end.delimiter) break
    body += `${shown}\n`
  }
  const parts: WordPart[] = end.quoted
    ? [{ kind: 'text', text: body, quoted: true }]
    : cursor.nested(() => parseExpansions(new Cursor(body, cursor.depth), readers))
  redirect.body = { parts, start, end: cursor.position }
}
