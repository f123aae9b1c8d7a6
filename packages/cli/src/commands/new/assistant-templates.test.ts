import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Daemon, startDaemon } from '@steward/daemon'
import { createTemporaryHome, type TemporaryHome } from '@steward/platform/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installStandIn } from '../../../../assistants/src/acp/testing/install-stand-in.ts'
import { composeModules } from '../../../../daemon/src/start-daemon-modules.ts'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

const LIBRARY = join(import.meta.dirname, '../../../../../library')
const WORK = `write docs/notes.md Corrected.
cost 0.25
say Done.
say {"kind": "bug", "drafted": true, "summary": "A draft."}`
const REVIEW = 'say {"verdict": "merge", "summary": "It is right."}'
/** The modules that run turns of assistants. */
const MODULES = ['attention', 'driven', 'history', 'notifications']

let home: TemporaryHome
let daemon: Daemon | undefined
let project = ''
let asked = ''

const env = () => ({ STEWARD_HOME: home.path, LLM_PROVIDER: 'offline', PATH: process.env.PATH })
const run = async (...args: string[]) => {
  const io = memoryIo({ args, env: env(), homedir: home.path, cwd: home.path, now: Date.now })
  return { code: await runCli(io), out: io.out.text(), err: io.err.text() }
}
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', project, '-c', 'user.name=T', '-c', 'user.email=t@t', ...args], {
    encoding: 'utf8',
  }).trim()
const readPersona = (): string => {
  const folder = join(home.path, 'USER/AGENTS')
  const [file = ''] = readdirSync(folder)
  const [, , body = ''] = readFileSync(join(folder, file), 'utf8').split('---\n')
  return body.trim()
}
const branches = (): string[] => git('branch', '--format=%(refname:short)').split('\n')

beforeAll(async () => {
  home = createTemporaryHome()
  // The templates name this folder.
  project = join(home.path, 'projects/mine')
  asked = join(home.path, 'asked.log')
  mkdirSync(project, { recursive: true })
  git('init', '--quiet', '--initial-branch=main')
  const manifest = { name: 'mine', version: '1.0.0', scripts: { test: 'cat docs/notes.md' } }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  git('add', '.')
  git('commit', '--quiet', '-m', 'Start')
  await installStandIn('claude', { root: home.path, script: WORK, log: asked })
  await installStandIn('codex', { root: home.path, script: REVIEW, log: asked })
  daemon = await startDaemon({
    ...{ env: env(), homedir: home.path, home: home.path, port: 0, library: LIBRARY },
    dashboard: join(home.path, 'no-dashboard'),
    write: () => undefined,
    writeOut: () => undefined,
    modules: (parts) => composeModules(parts).filter(({ name }) => MODULES.includes(name)),
  })
})
afterAll(async () => {
  await daemon?.stop()
  home.remove()
})

it.each([
  ['dependency-update', 'dependency-update.md', 'Dependencies on '],
  ['failing-test-fixer', 'failing-tests.md', 'Failing tests on '],
  ['issue-draft-branch', 'issue-drafts.md', 'bug: Export stops after 1,000 rows'],
  ['refactoring-proposal', 'refactoring.md', 'Refactoring of '],
  ['documentation-check', 'documentation-check.md', 'Documentation in '],
  ['second-opinion', 'second-opinion.md', 'merge: steward/'],
])(
  '%s installs into an empty home, works on a branch and reports',
  async (template, file, title) => {
    const before = branches()
    expect(await run('new', 'flow', '--template', template)).toMatchObject({ code: 0, err: '' })
    const flow = `F_${template.replaceAll('-', '_').toUpperCase()}`
    expect(await run('list', flow)).toMatchObject({ code: 0, err: '' })
    const ran = await run('trigger', flow, '--quiet')
    expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/delivered: [1-9]/) })
    const report = readFileSync(join(home.path, 'OUTPUT', file), 'utf8')
    expect(report).toContain(title)
    expect(report).toContain('docs/notes.md')
    const [branch = ''] = branches().filter((each) => !before.includes(each))
    expect(report).toContain(branch)
    expect(git('show', `${branch}:docs/notes.md`)).toBe('Corrected.')
    if (template === 'second-opinion') expect(report).toContain('It is right.')
    else expect(report).toContain('Check passed: true. Cost: \\$0.25.')
    expect(git('status', '--porcelain')).toBe('')
  },
)

it('gives the task to a named agent with composed traits', async () => {
  expect(
    await run(
      'agents',
      'new',
      'Ada',
      '--role',
      'careful engineer',
      '--description',
      'Repairs code',
    ),
  ).toMatchObject({ code: 0 })
  home.write(
    'USER/PIPELINES/P_ADA.yaml',
    `name: P_ADA
description: Works as Ada.
actions:
  - action: A_RUN_ASSISTANT
    with:
      prompt: Look around.
      settings: { assistant: codex, project: ~/projects/mine, agent: ada, traits: [technical, bold] }
`,
  )
  const ran = await run('run', 'P_ADA', '--local', '--json')
  expect(ran.code, ran.err).toBe(0)
  const [role = ''] = readPersona().split('\n')
  expect(role).toContain('careful engineer')
  // The stand-in notes the first line of what it is asked.
  expect(readFileSync(asked, 'utf8')).toContain(`prompt ${role}\n`)
})
