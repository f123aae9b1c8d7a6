import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runRecord } from '@steward/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import {
  findLeaks,
  SECRET_FORMS,
} from '../../packages/platform/src/redaction/testing/secret-forms.ts'
import { type Cli, createCli, writeAction } from './cli-process.ts'

const TEXTS = SECRET_FORMS.map(({ text }) => text)
const leaksOf = (shown: string): string[] => findLeaks(shown, SECRET_FORMS)

let cli: Cli
beforeAll(() => {
  cli = createCli()
  writeAction(cli, 'A_KEEP_TEXTS', 'export const execute = ({ texts }) => ({ kept: texts })')
  writeAction(
    cli,
    'A_QUOTE_TEXTS',
    'export const execute = ({ texts }) => { throw new Error(texts.join("\\n")) }',
  )
})
afterAll(() => cli.remove())

/** Rows of a log that another program wrote without masking them. */
const appendRows = (path: string, rows: readonly object[]): void => {
  const file = join(cli.home, path)
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}
const show = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await cli.run(args)
  expect([code, leaksOf(stderr)]).toEqual([0, []])
  return stdout
}

it('prints no form of a secret from the history of runs', async () => {
  const stdin = JSON.stringify({ texts: TEXTS })
  const kept = await cli.run(['run', 'A_KEEP_TEXTS', '--local'], { stdin })
  expect([kept.code, leaksOf(kept.stderr)]).toEqual([0, []])
  const failed = await cli.run(['run', 'A_QUOTE_TEXTS', '--local'], { stdin })
  expect([failed.code, leaksOf(failed.stderr)]).toEqual([1, []])
  expect(failed.stderr).toContain('[redacted]')
  const list = await show('runs', '--json')
  const runs = z.array(runRecord).parse(JSON.parse(list))
  expect(runs).toHaveLength(2)
  const shown = [list, await show('runs')]
  for (const { id } of runs) {
    shown.push(await show('runs', 'show', id), await show('runs', 'show', id, '--json'))
  }
  for (const text of shown) expect(leaksOf(text)).toEqual([])
  expect(shown.slice(2).every((text) => text.includes('[redacted]'))).toBe(true)
})

it('prints no form of a secret from the security log, even from rows of other writers', async () => {
  const timestamp = new Date().toISOString()
  const [year, month] = timestamp.split('-')
  appendRows(
    `MEMORY/SECURITY/${year}/${month}/security-${timestamp.slice(0, 10)}.jsonl`,
    TEXTS.map((target, at) => ({
      timestamp,
      session_id: 's',
      host: 'claude',
      event_type: 'block',
      tool: 'Bash',
      verdict: 'deny',
      rule: 'bash.blocked: x',
      reason: `because of ${target}`,
      target,
      shadow: false,
      seq: at + 1,
      prev: '',
      hash: 'x',
    })),
  )
  const limit = ['--limit', String(TEXTS.length)]
  const json = await show('security', 'events', '--json', ...limit)
  expect(json.match(/"target"/g)).toHaveLength(TEXTS.length)
  expect(leaksOf(json)).toEqual([])
  expect(leaksOf(await show('security', 'events', ...limit))).toEqual([])
})

it('prints no form of a secret that an unknown name, option or input quotes', async () => {
  for (const text of TEXTS.filter((_, at) => at % 8 === 0)) {
    const { code, stdout, stderr } = await cli.run(['runs', 'show', text.replace(/^-/, '')])
    expect(code).not.toBe(0)
    expect(leaksOf(stdout + stderr)).toEqual([])
  }
})
