import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { askCcusage } from './testing/ask-ccusage.ts'
import { createUsageHome } from './testing/usage-home.ts'

/**
 * Recorded by `npm run try:usage -- --record` with Claude Code 2.1.325, Codex 0.166.0, Gemini CLI
 * 0.61.0 and OpenCode 1.18.18: sessions that were resumed, delegated, killed, forked and summarised,
 * and what the vendor billed for them.
 */
const RECORDED = fileURLToPath(new URL('./testing/recorded/', import.meta.url))

const tokens = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})
type Tokens = z.infer<typeof tokens>
const billed = z.record(z.string(), z.record(z.string(), tokens))
const recordedDatabase = z.object({
  sessions: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
  messages: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
})

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

/** OpenCode's database, from its rows. */
const restoreDatabase = (from: string, to: string): void => {
  const { sessions, messages } = recordedDatabase.parse(readJson(from))
  mkdirSync(dirname(to), { recursive: true })
  const database = new DatabaseSync(to)
  for (const [table, rows] of Object.entries({ session: sessions, message: messages })) {
    const columns = Object.keys(rows[0] ?? {})
    database.exec(`CREATE TABLE ${table} (${columns.join()})`)
    const insert = database.prepare(
      `INSERT INTO ${table} VALUES (${columns.map(() => '?').join()})`,
    )
    for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null))
  }
  database.close()
}

/** The tokens that ccusage counts in addition to the billed ones, with the reason. */
const DIFFERENCES: Readonly<Record<string, Tokens>> = {
  // Two requests that summarised a session have no row. Tokens written to the cache count only if they
  // are listed by duration.
  claude: { input: -233, output: -73, cacheRead: -2033, cacheWrite: -943 },
  codex: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  // Reasoning, 5 tokens in each of 10 calls, is only in the total of all tokens.
  gemini: { input: 0, output: -50, cacheRead: 0, cacheWrite: 0 },
  // Two forks copied a message of 164, 79 and 1064 tokens; reasoning as above, in 13 calls.
  opencode: { input: 2 * 164, output: 2 * 79 - 13 * 5, cacheRead: 2 * 1064, cacheWrite: 0 },
}

it.each(Object.keys(DIFFERENCES))('counts what the vendor billed for %s', async (assistant) => {
  const home = createUsageHome()
  const recorded = join(RECORDED, assistant)
  cpSync(recorded, home.homedir, { recursive: true })
  if (assistant === 'opencode') {
    const database = join(home.homedir, '.local/share/opencode/opencode.db')
    restoreDatabase(join(recorded, 'opencode.json'), database)
  }
  expect(await home.update()).toEqual([])
  const expected = billed.parse(readJson(join(recorded, 'billed.json')))
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  for (const [session, models] of Object.entries(expected)) {
    const { rows } = home.report({ by: 'model', project: session, since: '2026-01-01' })
    const found = rows.map((row) => [
      row.key,
      {
        input: row.input_tokens,
        output: row.output_tokens,
        cacheRead: row.cache_read_tokens,
        cacheWrite: row.cache_write_tokens,
      },
    ])
    expect([session, Object.fromEntries(found)]).toEqual([session, models])
    for (const each of Object.values(models)) {
      sum.input += each.input
      sum.output += each.output
      sum.cacheRead += each.cacheRead
      sum.cacheWrite += each.cacheWrite
    }
  }
  const totals = await askCcusage(assistant, home.homedir)
  const peer = {
    input: totals.inputTokens - sum.input,
    output: totals.outputTokens - sum.output,
    cacheRead: totals.cacheReadTokens - sum.cacheRead,
    cacheWrite: totals.cacheCreationTokens - sum.cacheWrite,
  }
  expect(peer).toEqual(DIFFERENCES[assistant])
})
