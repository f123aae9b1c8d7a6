import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, NO_PACKAGES, type SessionError, StewardError } from '@steward/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHands } from '../create-hands.ts'
import type { EgressDecision } from '../egress/egress.ts'
import { type StandInHost, startStandInHost } from '../egress/testing/stand-in-host.ts'
import type { Hands, HandsSession } from '../hands.ts'
import { createPackageCache } from '../packages/package-cache.ts'
import { createProvisionSession } from './provision-session.ts'

const SECRET = 'sk-live-4f1c9a7e2b'
const ADDRESS = '93.184.216.34'
let home = ''
let host: StandInHost
let hands: Hands
const decisions: EgressDecision[] = []
const errors: SessionError[] = []

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'surround-'))
  host = await startStandInHost((incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '', 'https://git.test')
    if (pathname.startsWith('/tools.git/')) {
      const file = join(home, pathname)
      response.writeHead(existsSync(file) ? 200 : 404)
      response.end(existsSync(file) ? readFileSync(file) : '')
      return
    }
    response.end(`you sent ${incoming.headers.authorization ?? 'nothing'}\n`)
  })
  hands = await createHands({
    home,
    surround: createProvisionSession({
      packageCache: createPackageCache({
        ...{ folder: join(home, 'packages'), maxBytes: Infinity, maxIdleMs: Infinity },
      }),
      onError: (_, error) => errors.push(error),
      onDecision: (decision) => decisions.push(decision),
      reach: { dial: host.dial, resolve: async () => [ADDRESS], upstreamCa: [host.ca] },
    }),
  })
})
afterAll(async () => {
  await hands.close()
  await host.close()
  rmSync(home, { recursive: true, force: true })
})

const session: HandsSession = {
  id: 'sess_surround',
  networking: {
    type: 'limited',
    allowedHosts: ['api.test'],
    allowPackageManagers: false,
    mcpHosts: [],
  },
  packages: { apt: ['jq'], cargo: [], gem: [], go: [], npm: ['left-pad'], pip: [] },
  mounts: [
    {
      type: 'file',
      id: 'sesrsc_1',
      path: '/mnt/session/uploads/file_1',
      read: async () => Buffer.from('uploaded'),
    },
    { type: 'file', id: 'sesrsc_2', path: '/data/set.csv', read: async () => Buffer.from('a,b') },
    { type: 'file', id: 'sesrsc_3', path: '/etc/passwd', read: async () => Buffer.from('root') },
  ],
  credentials: [
    {
      name: 'API_TOKEN',
      secret: SECRET,
      allowedHosts: ['api.test'],
      inject: { header: true, body: false },
    },
  ],
}
let calls = 0
const bash = async (command: string, given = session) => {
  calls += 1
  const call = { id: `sevt_${calls}`, name: 'bash', input: { command }, config: {} }
  const { content } = await hands.execute(given, call, new AbortController().signal)
  return content.map((each) => (each.type === 'text' ? each.text : '')).join('\n')
}

describe('a sandbox with its surroundings', () => {
  it('reaches an allowed host from the first command on, with a secret it never sees', async () => {
    const said = await bash('curl -sS -H "authorization: Bearer $API_TOKEN" https://api.test/')
    const placeholder = await bash('echo $API_TOKEN')
    expect(host.seen.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`)
    expect(said.trim()).toBe(`you sent Bearer ${placeholder.trim()}`)
    expect(placeholder).toMatch(/^steward_secret_[0-9a-f]{40}/)
    expect(decisions.at(-1)).toMatchObject({ host: 'api.test', credentials: ['API_TOKEN'] })
  })

  it('sends the secret also for a program that uses no proxy', async () => {
    const before = host.seen.length
    const said = await bash(
      `curl -sS --noproxy '*' -H "authorization: Bearer $API_TOKEN" https://api.test/`,
    )
    expect(said).toContain('you sent Bearer steward_secret_')
    expect(host.seen[before]?.headers.authorization).toBe(`Bearer ${SECRET}`)
  })

  it('cannot find the secret: environment, processes, files', async () => {
    // A pattern that does not match itself, because grep is a process too.
    const pattern = SECRET.replace(/^./, '[$&]')
    const found = await bash(
      `needle="${pattern}"; (env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n') 2>/dev/null | grep -c -- "$needle"; ` +
        'grep -r -l -s -- "$needle" /run /workspace /mnt /home /tmp /etc /data; echo end',
    )
    expect(found.trim()).toBe('0\nend')
  })

  it('reaches nothing else', async () => {
    const said = await bash('curl -sS https://other.test/ 2>&1; curl -s http://other.test/')
    expect(said).toContain('403')
    expect(said).toContain("other.test is not among this environment's allowed hosts")
    const direct = await bash(
      `curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:${host.port}/ 2>&1`,
    )
    expect(direct).toMatch(/connect to|Could not connect|refused/i)
  })

  it('has its files, outside the folders of the system', async () => {
    expect(await bash('cat /mnt/session/uploads/file_1 /data/set.csv')).toContain('uploadeda,b')
    expect(await bash('echo x > /data/set.csv')).toMatch(/read-only/i)
    expect(await bash('head -c 4 /etc/passwd')).not.toBe('')
  })

  it('keeps large output whole, although a program for the network runs beside the shell', async () => {
    expect((await bash('seq 1 200000 | tee /tmp/all; wc -l < /tmp/all')).trimEnd()).toMatch(
      /200000\n200000$/,
    )
  })

  it('reports what failed, and continues', () => {
    const messages = errors.map(({ message }) => message)
    expect(messages).toEqual([
      expect.stringContaining('/etc/passwd: /etc belongs to the sandbox itself'),
      expect.stringContaining('apt could not install jq: apt installs for the whole system'),
      expect.stringContaining('npm could not install left-pad: the environment is limited'),
    ])
  })
})

it('resources that are added, replaced or removed later are there at the next call', async () => {
  const file = (id: string, path: string, text: string) =>
    ({ type: 'file', id, path, read: async () => Buffer.from(text) }) as const
  const at = (mounts: HandsSession['mounts']): HandsSession => ({
    ...session,
    id: 'sess_later',
    packages: NO_PACKAGES,
    mounts,
  })
  const first = file('sesrsc_a', '/data/a.txt', 'first')
  await bash('echo kept > /workspace/kept; cat /data/a.txt', at([first]))
  const second = file('sesrsc_b', '/data/b.txt', 'second')
  const added = await bash('cat /data/a.txt /data/b.txt /workspace/kept', at([first, second]))
  expect(added).toContain('the resources of this session changed')
  expect(added).toContain('firstsecondkept')
  const replaced = at([file('sesrsc_c', '/data/a.txt', 'third')])
  expect(await bash('cat /data/a.txt; ls /data', replaced)).toContain('thirda.txt')
  expect(await bash('ls /data', replaced)).toBe('a.txt')
})

it('skills of a repository are announced with the result of the first call', async () => {
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd })
  const source = join(home, 'source')
  mkdirSync(join(source, '.claude/skills/audit'), { recursive: true })
  writeFileSync(
    join(source, '.claude/skills/audit/SKILL.md'),
    '---\nname: audit\ndescription: Checks notes.\n---\nRun check.sh.\n',
  )
  git(source, 'init', '--quiet', '--initial-branch=main')
  git(source, 'add', '.')
  git(source, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '-m', 'first')
  git(home, 'clone', '--quiet', '--bare', source, join(home, 'tools.git'))
  git(join(home, 'tools.git'), 'update-server-info')
  const url = 'https://git.test/tools.git'
  const given: HandsSession = {
    ...session,
    id: 'sess_repository',
    packages: NO_PACKAGES,
    mounts: [{ type: 'repository', id: 'sesrsc_r', path: '/workspace/tools', url }],
  }
  const place = '/workspace/tools/.claude/skills/audit/SKILL.md'
  const first = await bash(`cat ${place}`, given)
  expect(first).toContain('Run check.sh.')
  expect(first).toContain(`the repository /workspace/tools has skills`)
  expect(first).toContain(`- ${place}: Checks notes.`)
  expect(await bash('echo more', given)).toBe('more')
})

it('without the programs for DNS and TCP there is HTTP, and the report says why', async () => {
  const plain = await createHands({
    home,
    findTools: () => fail(new StewardError('sandbox_unavailable', { reason: 'nft is missing' })),
    surround: createProvisionSession({
      packageCache: createPackageCache({
        ...{ folder: join(home, 'packages'), maxBytes: Infinity, maxIdleMs: Infinity },
      }),
      onError: (_, error) => errors.push(error),
      reach: { dial: host.dial, resolve: async () => [ADDRESS], upstreamCa: [host.ca] },
    }),
  })
  expect(plain.describe().network).toBe('http')
  expect(plain.describe().remarks.join()).toMatch(/only HTTP through the proxy: nft is missing/)
  const input = {
    command: `curl -sS https://api.test/; curl -sS --noproxy '*' https://api.test/ 2>&1`,
  }
  const given = { ...session, id: 'sess_http', packages: NO_PACKAGES, mounts: [] }
  const call = { id: 'sevt_http', name: 'bash', input, config: {} }
  const { content } = await plain.execute(given, call, new AbortController().signal)
  await plain.close()
  const text = content[0]?.type === 'text' ? content[0].text : ''
  expect(text).toMatch(/^you sent nothing\n/)
  expect(text).toContain('Could not resolve host')
})

it('a sandbox without network has no proxy, and fails immediately', async () => {
  const sealed: HandsSession = {
    ...session,
    id: 'sess_sealed',
    networking: {
      ...session.networking,
      type: 'limited',
      allowedHosts: [],
      allowPackageManagers: false,
      mcpHosts: [],
    },
    packages: NO_PACKAGES,
    mounts: [],
    credentials: [],
  }
  const command = 'env | grep -ci proxy; curl -sS https://api.test/ 2>&1; ls /run/steward'
  const call = { id: 'sevt_sealed', name: 'bash', input: { command }, config: {} }
  const { content } = await hands.execute(sealed, call, new AbortController().signal)
  const text = content[0]?.type === 'text' ? content[0].text : ''
  expect(text).toMatch(/^0\n/)
  expect(text).toContain('Could not resolve host')
  expect(text).toContain('/run/steward')
})
