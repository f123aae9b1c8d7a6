import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startVendorStandIn,
  type VendorStandIn,
} from '../../../../models/src/testing/vendor-stand-in.ts'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../../platform/src/testing/temporary-home.ts'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

const TEMPLATES = join(import.meta.dirname, '../../../../../library/templates')
const ALL = readdirSync(TEMPLATES)
const usesAssistant = (name: string): boolean =>
  readFileSync(join(TEMPLATES, name, 'pipeline.yaml'), 'utf8').includes('A_RUN_ASSISTANT')
/** Those for assistants need a daemon, an assistant and a project. */
const NAMES = ALL.filter((name) => !usesAssistant(name))
const FOR_ASSISTANTS = ALL.filter(usesAssistant)
const flowOf = (template: string): string => `F_${template.replaceAll('-', '_').toUpperCase()}`

let home: TemporaryHome
let vendor: VendorStandIn

const run = async (env: Record<string, string>, ...args: string[]) => {
  const io = memoryIo({
    args,
    env: { STEWARD_HOME: home.path, PATH: process.env.PATH, ...env },
    homedir: home.path,
    cwd: home.path,
    now: Date.now,
  })
  return { code: await runCli(io), out: io.out.text(), err: io.err.text() }
}
const OFFLINE = { LLM_PROVIDER: 'offline' }

const written = (folder: string): string =>
  readdirSync(join(home.path, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')

beforeAll(async () => {
  home = createTemporaryHome()
  vendor = await startVendorStandIn()
})

afterAll(async () => {
  await vendor.close()
  home.remove()
})

describe('steward new flow --template', () => {
  it('has at least twelve, each with a description', async () => {
    const { code, out } = await run(OFFLINE, 'new', 'flow', '--list-templates', '--json')
    expect(code).toBe(0)
    const { templates } = JSON.parse(out)
    expect(templates).toHaveLength(ALL.length)
    expect(FOR_ASSISTANTS).toHaveLength(6)
    expect(NAMES.length).toBeGreaterThanOrEqual(12)
    for (const { name, description } of templates) expect([name, description]).not.toContain('')
  })

  it.each(NAMES)('%s works at once, without network and key', async (template) => {
    const made = await run(OFFLINE, 'new', 'flow', '--template', template)
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(made.out).toContain('edit source')
    const first = await run(OFFLINE, 'trigger', flowOf(template), '--quiet')
    expect(first.out).toMatch(/delivered: [1-9]/)
    expect(first.code).toBe(0)
    expect((await run(OFFLINE, 'trigger', flowOf(template), '--quiet')).out).not.toMatch(
      /delivered: [1-9]/,
    )
  })

  it.each(FOR_ASSISTANTS)('%s is complete, and says that it needs the daemon', async (template) => {
    const made = await run(OFFLINE, 'new', 'flow', '--template', template)
    expect(made).toMatchObject({ code: 0, err: '' })
    const ran = await run(OFFLINE, 'trigger', flowOf(template), '--quiet')
    expect(`${ran.out}${ran.err}`).toContain('the daemon runs them, and none is running')
  })

  it('delivers something to read', () => {
    const text = written('OUTPUT')
    expect(text).toContain('A shared test for AI safety claims')
    expect(text).not.toContain('Why bread needs time')
    expect(text).toContain('- **bug** [Export stops after 1,000 rows]')
    expect(text).toContain('The price is 49.9.')
    expect(text).toContain('cannot write /var/data/report.csv')
    expect(text).not.toContain('disk is 81% full')
    expect(written('MEMORY/KNOWLEDGE')).toContain('How a lock on a canal works')
  })

  it.each(NAMES)('%s works with a key, under another name', async (template) => {
    const key = { LLM_PROVIDER: 'openai', LLM_BASE_URL: vendor.url, LLM_API_KEY: 'k3y-of-the-test' }
    const name = flowOf(`my-${template}`)
    expect(await run(key, 'new', 'flow', name, '--template', template)).toMatchObject({ code: 0 })
    const ran = await run(key, 'trigger', name, '--quiet')
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(/[1-9]\d* (delivered|filtered)/)
  })

  it('keeps files that are there', async () => {
    expect(vendor.calls.length).toBeGreaterThan(NAMES.length)
    const pipeline = 'USER/PIPELINES/P_MORNING_PAPER.yaml'
    home.write(pipeline, '# mine')
    const made = await run(OFFLINE, 'new', 'flow', 'F_MY_PAPER', '--template', 'morning-paper')
    expect(made.code).toBe(0)
    expect(made.out).not.toContain(pipeline)
    expect(readFileSync(join(home.path, pipeline), 'utf8')).toBe('# mine')
  })

  it('refuses what it does not have, and names that are taken', async () => {
    expect(await run(OFFLINE, 'new', 'flow', '--template', 'morning-papr')).toMatchObject({
      code: 3,
      err: expect.stringContaining('did you mean morning-paper?'),
    })
    expect((await run(OFFLINE, 'new', 'flow', '--template', 'price-watch')).err).toContain(
      'already contains F_PRICE_WATCH',
    )
    expect((await run(OFFLINE, 'new', 'flow')).err).toContain('the name is missing')
    const wrong = await run(OFFLINE, 'new', 'action', 'A_DO_IT', '--template', 'price-watch')
    expect(wrong.err).toContain('only flows have templates')
  })
})
