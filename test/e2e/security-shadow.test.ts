import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT } from '@steward/contract'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli } from './cli-process.ts'

const RULE = 'bash.blocked: ^frob\\b'
const POLICY = `bash:
  blocked:
    - {pattern: '^frob\\b', reason: frobs everything}
`

let cli: Cli
beforeEach(() => {
  cli = createCli()
  cli.write('USER/SECURITY/PATTERNS.yaml', POLICY)
})
afterEach(() => cli.remove())

const changed = z.object({
  ok: z.literal(true),
  action: z.literal('set_shadow'),
  revision: z.string(),
  undo: z.string(),
})
const verdict = async () =>
  z
    .looseObject({ verdict: z.string() })
    .parse(await cli.json(['security', 'try', 'frob --all', '--json'])).verdict
const policy = () => readFileSync(join(cli.home, 'USER/SECURITY/PATTERNS.yaml'), 'utf8')

it('logs matches of a rule without enforcing it, until --off', async () => {
  expect(await verdict()).toBe('deny')
  const on = changed.parse(await cli.json(['security', 'shadow', RULE, '--json']))
  expect(await verdict()).toBe('pass')
  const off = changed.parse(await cli.json(['security', 'shadow', RULE, '--off', '--json']))
  expect(await verdict()).toBe('deny')
  expect(off.revision).not.toBe(on.revision)
})

it('applies to a whole list or to everything, and can be undone', async () => {
  for (const rule of ['bash.blocked', '*']) {
    const before = policy()
    const { undo } = changed.parse(await cli.json(['security', 'shadow', rule, '--json']))
    expect(await verdict()).toBe('pass')
    expect(await cli.run(['security', 'undo', undo])).toMatchObject({ code: 0 })
    expect(await verdict()).toBe('deny')
    expect(policy()).toBe(before)
  }
})

it('names the rule and how to undo the change', async () => {
  const { code, stdout } = await cli.run(['security', 'shadow', RULE])
  expect(code).toBe(0)
  expect(stdout).toContain(RULE)
  expect(stdout).toContain('steward security undo ')
})

it('refuses a rule that does not exist and changes nothing', async () => {
  const refused = await cli.run(['security', 'shadow', 'bash.blocked: ^no-such-rule'])
  expect(refused.code).toBe(EXIT.notFound)
  expect(refused.stderr).toContain('no-such-rule')
  expect(policy()).toBe(POLICY)
})
