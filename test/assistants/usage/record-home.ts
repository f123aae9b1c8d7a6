import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isJsonObject } from '@steward/contract'

/** Where each assistant writes its records, in the folder of the person. */
const FOLDERS: Readonly<Record<string, string>> = {
  claude: '.claude/projects',
  codex: '.codex/sessions',
  gemini: '.gemini/tmp',
}
const DATABASE = '.local/share/opencode/opencode.db'
const PERSON = '/home/person'
/** Rows without anything to count, and long: instructions, requests, the state of the screen. */
const LEFT_OUT = new Set(['attachment', 'world_state', 'response_item'])
const MOST_CHARS = 80

/** Stores the records of one assistant without most of their text, and what the vendor billed. */
export const recordHome = (name: string, home: string, to: string, billed: object): void => {
  rmSync(to, { recursive: true, force: true })
  const write = (path: string, text: string): void => {
    const file = join(to, withoutHome(path, home))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, withoutHome(text, home))
  }
  const folder = FOLDERS[name]
  if (folder === undefined)
    write('opencode.json', `${JSON.stringify(readDatabase(home), null, 2)}\n`)
  else {
    for (const path of readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.jsonl')) continue
      const lines = readFileSync(join(home, folder, path), 'utf8').split('\n')
      write(join(folder, path), lines.flatMap(shorten).join(''))
    }
  }
  write('billed.json', `${JSON.stringify(billed, null, 2)}\n`)
}

/** Also in the name of a folder, where Claude Code writes dashes. */
const withoutHome = (text: string, home: string): string =>
  text.replaceAll(home, PERSON).replaceAll(dashed(home), dashed(PERSON))
const dashed = (path: string): string => path.replaceAll(/[/.]/g, '-')

/** A line that was torn by a kill stays as it is. */
const shorten = (line: string): string[] => {
  if (line === '') return []
  try {
    const row: unknown = JSON.parse(line)
    if (!isJsonObject(row) || isLeftOut(String(row.type))) return []
    return [`${JSON.stringify(cut(row))}\n`]
  } catch {
    return [line]
  }
}
const isLeftOut = (type: string): boolean => LEFT_OUT.has(type) || type.startsWith('api-request')

const cut = (value: unknown): unknown => {
  if (typeof value === 'string') return value.slice(0, MOST_CHARS)
  if (Array.isArray(value)) return value.map(cut)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cut(each)]))
}

const readDatabase = (home: string): object => {
  const database = new DatabaseSync(join(home, DATABASE), { readOnly: true })
  try {
    return {
      sessions: database
        .prepare('SELECT id, parent_id, directory, title, time_created FROM session')
        .all(),
      messages: database
        .prepare(
          `SELECT id, session_id, time_created, time_updated,
             json_remove(data, '$.path', '$.system', '$.summary.diffs') AS data FROM message`,
        )
        .all(),
    }
  } finally {
    database.close()
  }
}
