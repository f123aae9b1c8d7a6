import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { selfSigned } from '../../../hosted/src/hands/egress/testing/self-signed.ts'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import type { LocalRuntime } from '../local-runtime.ts'
import { openLocalRuntime } from '../open-local-runtime.ts'
import { type ImapStandIn, serveImap } from './testing/serve-imap.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const USER = 'me@example.com'
const LIST = `printf '{"rows": [{"id": 1, "content": "%s"}]}' "$COLOUR $(printf "$API_KEY" | wc -c)"`

let home: TemporaryHome
let steward: LocalRuntime
/** Each test has a flow of its own. */
let flow = 0
beforeEach(() => {
  flow += 1
})

beforeAll(async () => {
  home = createTemporaryHome()
  home.action('A_PASS_ON', 'return input')
  home.pipeline('P_PASS_ON', ['A_PASS_ON'])
  steward = await openLocalRuntime({
    env: {
      STEWARD_HOME: home.path,
      PATH: process.env.PATH,
      API_KEY: 'k3y-value',
      MAIL_PASSWORD: 'right',
      WRONG_PASSWORD: 'wrong',
    },
    homedir: home.path,
    builtIn: join(home.path, 'library'),
    now: () => NOW,
  })
})
afterAll(async () => {
  await steward.close()
  home.remove()
})

/** Runs a flow with this source; what its items were, and how the run ended. */
const read = async (source: object, destinations: object[] = []) => {
  home.flows({
    id: `flow-${flow}`,
    name: 'F_TEST_FLOW',
    source,
    pipeline: 'P_PASS_ON',
    destinations: [{ type: 'file', path: `${flow}.jsonl` }, ...destinations],
    schedule: { intervalMinutes: 60, enabled: true },
  })
  const before = delivered().length
  const { summary } = await steward.flows.trigger('F_TEST_FLOW')
  const { outcome, reason } = summary
  return { items: delivered().slice(before), outcome, reason, blocked: summary.blocked?.code }
}

const delivered = (): { item: string; output: Record<string, unknown> }[] => {
  const file = join(home.path, `OUTPUT/${flow}.jsonl`)
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

describe('a folder', () => {
  const folder = { type: 'folder', path: '../../inbox', glob: '**/*.{md,txt}', maxBytes: 1000 }

  it('gives new and changed files, each once, and never leads out', async () => {
    home.write('inbox/one.md', 'first')
    home.write('inbox/deep/two-words.txt', 'second')
    home.write('inbox/other.pdf', 'not matched')
    home.write('inbox/.hidden/x.md', 'hidden')
    home.write('.env', 'API_KEY=x')
    symlinkSync(join(home.path, '.env'), join(home.path, 'inbox/link.md'))
    symlinkSync(join(home.path, 'USER'), join(home.path, 'inbox/user'))
    const first = await read(folder)
    expect(first.items.map(({ output }) => [output.path, output.content])).toEqual([
      ['deep/two-words.txt', 'second'],
      ['one.md', 'first'],
    ])
    expect(first.items[0]?.output).toMatchObject({ title: 'two words', name: 'two-words.txt' })
    expect(await read(folder)).toMatchObject({ items: [], outcome: 'nothing-new' })
    appendFileSync(join(home.path, 'inbox/one.md'), ' changed')
    utimesSync(join(home.path, 'inbox/deep/two-words.txt'), NOW / 1000, NOW / 1000)
    expect(await read(folder)).toMatchObject({
      items: [{ output: { content: 'first changed' } }],
      outcome: 'delivered',
    })
  })

  it('reports once what it leaves out, and what is wrong', async () => {
    const folder = { type: 'folder', path: '../../other', maxBytes: 1000 }
    home.write('other/large.txt', 'x'.repeat(1001))
    writeFileSync(join(home.path, 'other/picture.md'), Buffer.from([0xff, 0xd8, 0xff]))
    expect(await read(folder)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(
        /2 files were left out: large.txt: larger than 1000 bytes, pic/,
      ),
    })
    expect(await read(folder)).toMatchObject({ outcome: 'nothing-new' })
    expect(await read({ type: 'folder', path: 'missing' })).toMatchObject({
      reason: expect.stringContaining('there is no such folder'),
    })
  })
})

describe('a folder that the flow writes into', () => {
  const folder = { type: 'folder', path: '../../OUTPUT/repo', glob: '**/*.md' }
  const git = { type: 'git', repository: 'repo' }
  beforeAll(() => {
    home.write('OUTPUT/repo/news.md', 'news')
    execFileSync('git', ['init', '--quiet', join(home.path, 'OUTPUT/repo')])
  })

  it('is read without the folder of its own files', async () => {
    const destinations = [{ ...git, folder: 'digests' }]
    expect((await read(folder, destinations)).items).toMatchObject([
      { output: { path: 'news.md' } },
    ])
    expect(readdirSync(join(home.path, 'OUTPUT/repo/digests'))).toHaveLength(1)
    expect(await read(folder, destinations)).toMatchObject({ items: [], outcome: 'nothing-new' })
  })

  it('is refused if they are among the others', async () => {
    expect(await read(folder, [git])).toMatchObject({
      blocked: 'not_configured',
      reason: expect.stringContaining('the flow writes there'),
    })
  })
})

describe('a command', () => {
  it('runs in the sandbox with the files, variables and secrets that it names', async () => {
    home.write('USER/FLOWS/list.sh', LIST)
    const command = { type: 'command', command: ['sh', './list.sh'], items: '$.rows' }
    expect(await read({ ...command, env: { COLOUR: 'blue' } })).toMatchObject({
      items: [{ item: '1', output: { content: 'blue 0' } }],
    })
    const withSecret = { ...command, id: '$.content', secrets: ['API_KEY'] }
    expect(await read(withSecret)).toMatchObject({ items: [{ output: { content: ' 9' } }] })
    expect(await read({ ...command, secrets: ['MISSING'] })).toMatchObject({
      blocked: 'not_configured',
    })
  })

  it.each([
    ['jsonl', ['printf', '{"id":"a"}\\n\\n{"id":"b"}\\n'], ['a', 'b']],
    ['lines', ['printf', 'one\\ntwo\\none\\n'], ['one', 'two']],
  ])('prints items as %s', async (format, command, expected) => {
    const { items } = await read({ type: 'command', command, format })
    expect(items.map(({ item, output }) => (format === 'jsonl' ? item : output.content))).toEqual(
      expected,
    )
  })

  it.each([
    [['sh', '-c', 'echo "no access" >&2; exit 3'], 'upstream_failed', 'code 3: no access'],
    [['printf', 'hello'], 'invalid_json', 'the output of printf'],
    [['no-such-program'], 'command_missing', 'no-such-program'],
  ])('that fails says why: %j', async (command, _code, message) => {
    const { reason, outcome } = await read({ type: 'command', command })
    expect([outcome, reason]).toEqual(['failed', expect.stringContaining(message)])
  })
})

describe('a mailbox', () => {
  let server: ImapStandIn
  beforeAll(async () => {
    server = await serveImap({ user: USER, password: 'right' })
  })
  afterAll(() => server.close())

  const mailOf = (uid: number, subject: string, headers = '', body = 'Hello.\r\n') => ({
    uid,
    at: new Date(NOW - 3_600_000 + uid),
    raw: `From: Ada <ada@example.com>\r\nTo: ${USER}\r\nSubject: ${subject}\r\n${headers}\r\n${body}`,
  })
  const mailbox = () => ({
    type: 'mailbox',
    host: '127.0.0.1',
    port: server.port,
    security: 'none',
    user: USER,
    password: 'MAIL_PASSWORD',
  })
  const titles = (result: Awaited<ReturnType<typeof read>>) =>
    result.items.map(({ output }) => output.title)

  it('gives new messages once, by Message-ID, and marks none as read', async () => {
    const html = '<style>b{}</style><p>Tea &amp; <b>milk</b></p><p>At 5</p>'
    server.inbox.mails = [
      { ...mailOf(1, 'Too old'), at: new Date(NOW - 8 * 86_400_000) },
      mailOf(2, '=?utf-8?q?Gr=C3=BC=C3=9Fe?=', 'Message-ID: <two@example.com>\r\n'),
      mailOf(3, 'Web', 'Content-Type: text/html\r\n', html),
    ]
    const first = await read(mailbox())
    expect(first.items).toMatchObject([
      {
        item: '<two@example.com>',
        output: { title: 'Grüße', content: 'Hello.', from: 'Ada <ada@example.com>', to: USER },
      },
      { item: '1:3', output: { content: 'Tea & milk\n\nAt 5' } },
    ])
    expect(server.commands).toContain('EXAMINE INBOX')
    expect(server.commands.join()).not.toMatch(/STORE|SELECT/)
    expect(await read(mailbox())).toMatchObject({ items: [], outcome: 'nothing-new' })
    server.inbox.mails.push(mailOf(4, 'New'))
    expect(titles(await read(mailbox()))).toEqual(['New'])
    // The server numbers messages again; those with a Message-ID are still recognised.
    server.inbox.uidValidity = 2
    expect(titles(await read(mailbox()))).toEqual(['Web', 'New'])
  })

  it('takes unread messages only if asked', async () => {
    server.inbox.mails = [{ ...mailOf(1, 'Read'), seen: true }, mailOf(2, 'Unread')]
    expect(titles(await read({ ...mailbox(), unseen: true }))).toEqual(['Unread'])
  })

  it('says what is wrong with its setup', async () => {
    expect(await read({ ...mailbox(), password: 'WRONG_PASSWORD' })).toMatchObject({
      blocked: 'not_configured',
      reason: expect.stringContaining(`refused the login of ${USER}: wrong name or password`),
    })
    expect(await read({ ...mailbox(), folder: 'Nowhere' })).toMatchObject({
      blocked: 'not_configured',
      reason: expect.stringContaining('has no folder Nowhere'),
    })
    const elsewhere = read({ ...mailbox(), host: 'imap.example.com' })
    await expect(elsewhere).rejects.toThrow('must be tls or starttls')
  })

  it('sends the password only after STARTTLS, and only if the certificate is trusted', async () => {
    const certificate = selfSigned()
    const login = { user: USER, password: 'right' }
    const upgraded = await serveImap(login, certificate, { startTls: true })
    upgraded.inbox.mails = [mailOf(1, 'Upgraded')]
    const to = { host: 'localhost', security: 'starttls' }
    const source = { ...mailbox(), ...to, port: upgraded.port }
    const { outcome, reason } = await read(source)
    expect([outcome, reason]).toEqual(['failed', expect.stringMatching(/self.signed/)])
    expect(upgraded.commands.join()).not.toContain('LOGIN ')
    // The person may add authorities, as with NODE_EXTRA_CA_CERTS.
    const authorities = getCACertificates('default')
    setDefaultCACertificates([...authorities, certificate.cert])
    try {
      expect(titles(await read(source))).toEqual(['Upgraded'])
    } finally {
      setDefaultCACertificates(authorities)
    }
    const logins = upgraded.commands.filter((command) => command.includes('LOGIN '))
    expect(logins).toEqual([expect.stringMatching(/^secure LOGIN /)])
    await upgraded.close()
    // Another server offers no encryption, or someone on the way removed the offer.
    server.commands.length = 0
    const stripped = await read({ ...mailbox(), ...to })
    expect(stripped.outcome).toBe('failed')
    expect(server.commands.join()).not.toContain('LOGIN ')
  })

  it('refuses certificates that no authority signed', async () => {
    const { key, cert } = selfSigned()
    const secure = await serveImap({ user: USER, password: 'right' }, { key, cert })
    const { security: _, ...source } = mailbox()
    const { outcome, reason } = await read({ ...source, host: 'localhost', port: secure.port })
    expect([outcome, reason]).toEqual(['failed', expect.stringMatching(/self.signed/)])
    expect(secure.commands).toEqual([])
    await secure.close()
  })
})
