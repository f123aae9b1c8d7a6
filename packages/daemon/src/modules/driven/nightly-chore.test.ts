import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDaemonClient } from '@steward/contract'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type ReceivedMail, serveSmtp } from '../../../../../library/lib/testing/serve-smtp.ts'
import { bundleChild } from '../../../../../scripts/testing/bundle-child.ts'
import { COMPILED } from '../../../../../scripts/testing/cache-home.ts'
import { installStandIn } from '../../../../assistants/src/acp/testing/install-stand-in.ts'
import { createTemporaryHome } from '../../../../platform/src/testing/temporary-home.ts'

const DAEMON = join(import.meta.dirname, '../../testing/virtual-daemon.ts')
const LIBRARY = join(import.meta.dirname, '../../../../../library')
const WAIT = { timeout: 80_000, interval: 20 }

/** A repository with a remote, a mail server, and a home in which the stand-in is Claude Code. */
const openNight = async () => {
  const home = createTemporaryHome()
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    }
    home.remove()
  })
  const root = join(home.path, 'data')
  const project = join(home.path, 'project')
  const remote = join(home.path, 'remote.git')
  const asked = join(home.path, 'asked.log')
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', project, '-c', 'user.name=T', '-c', 'user.email=t@t', ...args], {
      encoding: 'utf8',
    }).trim()
  mkdirSync(project)
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(join(project, 'versions.txt'), 'parser 1.0\n')
  git('add', '.')
  git('commit', '--quiet', '-m', 'Start')
  execFileSync('git', ['clone', '--quiet', '--bare', project, remote])
  git('remote', 'add', 'origin', remote)
  await installStandIn('claude', { root, log: asked })
  const program = await bundleChild(DAEMON, home.path)
  const mail = await serveSmtp()
  const env = {
    ...{ PATH: process.env.PATH, HOME: home.path, LLM_PROVIDER: 'offline' },
    NODE_COMPILE_CACHE: COMPILED,
    ...{ SMTP_URL: mail.url, MAIL_FROM: 'steward@example.com' },
  }
  /** Starts the daemon at an instant; `to` moves its time. */
  const boot = async (atMs: number) => {
    const args = [root, home.path, LIBRARY, new Date(atMs).toISOString()]
    const child = fork(program, args, {
      ...{ env, execArgv: [] },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    children.push(child)
    const lines: string[] = []
    child.stderr?.on('data', (chunk) => lines.push(String(chunk)))
    const [base] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => {
        throw new Error(lines.join(''))
      }),
    ])
    const client = createDaemonClient({ base: String(base), fetch })
    return {
      client,
      to: (instantMs: number) => child.send(instantMs),
      kill: async () => {
        child.kill('SIGKILL')
        await once(child, 'exit')
      },
    }
  }
  return {
    ...{ home, root, project, git, boot, mails: mail.mails },
    remoteBranches: () =>
      execFileSync('git', ['-C', remote, 'branch', '--list'], { encoding: 'utf8' }).trim(),
    branches: () => git('branch', '--list', '--format=%(refname:short)', 'steward/*').split('\n'),
    usage: async ({ client }: Pick<Awaited<ReturnType<typeof boot>>, 'client'>) => {
      const { rows } = await client.call('getUsage', { query: { by: 'session' } })
      return rows.map(({ key, cost_usd }) => [key, cost_usd])
    },
    prompts: () =>
      existsSync(asked) ? (readFileSync(asked, 'utf8').match(/^prompt .*$/gm) ?? []) : [],
    write: (path: string, text: string) => home.write(join('data', path), text),
  }
}

/** Two chores of one file; the second is a follow-up in the same session and is cut off. */
const flowsFor = (project: string) => {
  const work = {
    ...{ assistant: 'claude', project, worktree: true, permissions: 'deny', allow: ['edit'] },
    ...{ check: 'grep 2.0 versions.txt', limits: { minutes: 600, budgetUsd: 5 } },
  }
  const common = {
    source: { type: 'command', command: ['echo', 'tonight'], format: 'lines' },
    destination: { type: 'email', address: 'me@example.com', subject: 'Last night' },
  }
  const schedule = { timezone: 'UTC', runsOn: 'here', catchUp: 'once' }
  return [
    {
      ...{ ...common, id: 'update', name: 'F_NIGHTLY_UPDATE', pipeline: 'P_ASSISTANT_CHORE' },
      with: {
        report: 'Dependencies',
        task: 'write versions.txt parser 2.0\ncost 0.25\nsay Updated the parser.',
        work,
      },
      schedule: { ...schedule, at: '02:30' },
    },
    {
      ...{ ...common, id: 'review', name: 'F_NIGHTLY_REVIEW', pipeline: 'P_TWO_TURNS' },
      with: { work },
      schedule: { ...schedule, at: '04:00' },
    },
  ]
}
const TWO_TURNS = `
name: P_TWO_TURNS
description: Two turns of one session.
input: { work: { type: object, required: true } }
actions:
  - action: A_RUN_ASSISTANT
    with: { prompt: "write versions.txt parser 2.0.1\\ncost 1\\nsay First.", settings: "{work}" }
  - action: A_RUN_ASSISTANT
    with: { prompt: "write more.txt more\\ncost 1.5\\nwait", settings: { session: "{session}" } }
  - action: A_FORMAT_MARKDOWN
    with: { title: Review, summary: "{branch}, {diff_stat}" }
`
const textOf = (mail: ReceivedMail | undefined): string =>
  (mail?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')

it('does nightly chores from one flow file, also when the daemon is killed in the middle', async () => {
  const night = await openNight()
  night.write('USER/PIPELINES/P_TWO_TURNS.yaml', TWO_TURNS)
  night.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows: flowsFor(night.project) }))
  const daemon = await night.boot(Date.parse('2026-03-02T22:00:00Z'))
  daemon.to(Date.parse('2026-03-03T02:29:00Z'))
  await daemon.client.call('listRuns', { query: {} })
  expect(night.prompts()).toEqual([])
  daemon.to(Date.parse('2026-03-03T02:30:00Z'))
  await vi.waitFor(() => expect(night.mails).toHaveLength(1), WAIT)

  const [branch = ''] = night.branches()
  expect(branch).toMatch(/^steward\/write-versions-txt-parser-2-/)
  expect(night.git('diff', `main..${branch}`)).toContain('-parser 1.0\n+parser 2.0')
  expect(night.git('status', '--porcelain')).toBe('')
  expect(night.mails[0]?.to).toEqual(['me@example.com'])
  const report = textOf(night.mails[0])
  expect(report).toContain('Subject: Last night')
  expect(report).toContain('Updated the parser.')
  expect(report).toContain('<li>versions.txt | 2 +-</li>')
  expect(report).toContain(`Branch or patch: ${branch}. Check passed: true. Cost: $0.25.`)
  const { sessions } = await daemon.client.call('listSessions', { query: {} })
  expect(report).toContain(`Session: ${sessions[0]?.id}`)
  expect(await night.usage(daemon)).toEqual([[sessions[0]?.id, 0.25]])

  daemon.to(Date.parse('2026-03-03T04:00:00Z'))
  await vi.waitFor(() => expect(night.prompts()).toContain('prompt write more.txt more'), WAIT)
  await vi.waitFor(async () => expect((await night.usage(daemon)).flat()).toContain(1.5), WAIT)
  await daemon.kill()
  expect(night.mails).toHaveLength(1)
  const again = await night.boot(Date.parse('2026-03-03T04:05:00Z'))
  await vi.waitFor(() => expect(night.mails).toHaveLength(2), WAIT)

  expect(night.prompts()).toEqual([
    ...['prompt write versions.txt parser 2.0', 'prompt write versions.txt parser 2.0.1'],
    ...[
      'prompt write more.txt more',
      expect.stringMatching(/^prompt Your program was interrupted/),
    ],
  ])
  const [, reviewed = ''] = night.branches().toSorted((one) => (one === branch ? -1 : 1))
  expect(night.git('show', `${reviewed}:versions.txt`)).toBe('parser 2.0.1')
  expect(night.git('show', `${reviewed}:more.txt`)).toBe('more')
  expect(textOf(night.mails[1])).toContain('more.txt')
  expect((await night.usage(again)).map(([, cost]) => cost).toSorted()).toEqual([0.25, 1.5])
  expect(night.remoteBranches()).toBe('* main')
}, 180_000)
