import { type ObserverName, observerPolicy } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { isDisposable } from './disposable.ts'
import type { Evidence } from './evidence.ts'
import { findObjections } from './find-objections.ts'
import { matchesGlob } from './match-glob.ts'
import { parseObserverPolicy } from './parse-observer-policy.ts'
import { isCredentialCommand, isCredentialPath } from './read-evidence.ts'
import { judgeByRules } from './rules/judge-by-rules.ts'
import { NO_FACTS } from './session-facts.ts'
import { splitIntoCycles } from './split-into-cycles.ts'
import { effect, evidence, PASS, readCall, row, START } from './testing/rows.ts'

const judge = (
  observer: ObserverName,
  given: Partial<Evidence>,
  policy: object = {},
  intent = 'fix the form',
) =>
  judgeByRules(observer, [evidence(given)], {
    policy: observerPolicy.parse(policy),
    intent: { text: intent, source: 'policy' },
    facts: NO_FACTS,
    home: '/home/u',
    oversight: [],
  })

describe('policy compliance', () => {
  const write = { effects: [effect('write', '/srv/www/a')] }
  it.each<[string, Partial<Evidence>, object, string, string | undefined]>([
    ['nothing', {}, {}, 'continue', undefined],
    ['outside', write, { allowedPaths: ['~/site'] }, 'escalate', 'outside-allowed-paths'],
    ['inside', write, { allowedPaths: ['/srv/**'] }, 'continue', undefined],
    [
      'deleted outside',
      { effects: [effect('delete', '/srv/www/a')] },
      { allowedPaths: ['~/site'] },
      'halt',
      'outside-allowed-paths',
    ],
    [
      'temporary',
      { effects: [effect('write', '/tmp/x')] },
      { allowedPaths: ['~/site'] },
      'continue',
      undefined,
    ],
    ['forbidden path', write, { forbiddenPaths: ['/srv/www'] }, 'halt', 'forbidden-path'],
    ['forbidden effect', write, { forbiddenEffects: ['write'] }, 'halt', 'forbidden-effect'],
    ['denied', { guard: { ...PASS, verdict: 'deny', rule: 'x' } }, {}, 'halt', 'guard-deny'],
    ['asked', { guard: { ...PASS, verdict: 'ask', rule: 'x' } }, {}, 'escalate', 'guard-ask'],
    ['watched', { guard: { ...PASS, verdict: 'alert', rule: 'x' } }, {}, 'continue', undefined],
    ['a secret', { effects: [effect('credential', '/a/.env')] }, {}, 'escalate', 'credential'],
    [
      'an expected secret',
      { effects: [effect('credential', '/a/.env')] },
      { expectedEffects: ['credential'] },
      'continue',
      undefined,
    ],
    ['instructions', { injection: 'tells' }, {}, 'escalate', 'injection'],
  ])('%s', (_name, given, policy, vote, rule) => {
    expect(judge('policy-compliance', given, policy)).toMatchObject({
      vote,
      judge: 'rules',
      ...(rule === undefined ? {} : { rule }),
      evidence: ['r1'],
    })
  })
})

describe('intent drift', () => {
  const secret = { effects: [effect('credential', '/home/u/.aws/credentials')] }
  const leak = { effects: [...secret.effects, effect('send', 'paste.example.org')] }
  const few = { effects: ['a', 'b', 'c'].map((name) => effect('delete', `/work/${name}`)) }
  it.each<[string, Partial<Evidence>, string, string]>([
    ['a secret that the intent does not mention', secret, 'fix the form', 'escalate'],
    ['a secret that is asked for', secret, 'rotate the deploy key', 'continue'],
    ['a monkey is not a key', secret, 'draw a monkey', 'escalate'],
    ['a secret that is sent', leak, 'fix the form', 'halt'],
    ['a secret that is sent where sending is asked for', leak, 'publish the page', 'halt'],
    ['rights', { effects: [effect('privilege', 'sudo')] }, 'fix the form', 'escalate'],
    ['rights to install', { effects: [effect('privilege', 'sudo')] }, 'install nginx', 'continue'],
    ['one delete', { effects: [effect('delete', '/work/a')] }, 'fix the form', 'continue'],
    ['a few deletes', few, 'fix the form', 'escalate'],
    ['a few deletes on demand', few, 'remove the old form', 'continue'],
    [
      'build output',
      { effects: [effect('delete', '/work/dist', { recursive: true })] },
      'x',
      'continue',
    ],
    ['all below', { effects: [effect('delete', '/srv/x', { recursive: true })] }, 'x', 'halt'],
  ])('%s', (_name, given, intent, vote) => {
    expect(judge('intent-drift', given, {}, intent).vote).toBe(vote)
  })
})

describe('blast radius', () => {
  const many = Array.from({ length: 61 }, (_, n) => effect('write', `/work/src/${n}`))
  it.each<[string, Partial<Evidence>, string]>([
    ['one delete', { effects: [effect('delete', '/work/a', { inside: true })] }, 'continue'],
    ['ten deletes', { effects: many.slice(0, 10).map((e) => ({ ...e, kind: 'delete' })) }, 'halt'],
    ['many writes', { effects: many }, 'escalate'],
    ['sixty writes', { effects: many.slice(1) }, 'continue'],
    [
      'a directory here',
      { effects: [effect('delete', '/work/a', { recursive: true, inside: true })] },
      'continue',
    ],
    [
      'a directory elsewhere',
      { effects: [effect('delete', '/srv/a', { recursive: true })] },
      'halt',
    ],
    ['a service', { effects: [effect('delete', 'mcp__db__drop_table')] }, 'escalate'],
    [
      'a blocked command',
      { guard: { ...PASS, verdict: 'deny', rule: 'bash.blocked: mkfs' } },
      'halt',
    ],
    [
      'a read that is denied',
      { guard: { ...PASS, verdict: 'deny', rule: 'paths.zeroAccess: x' } },
      'continue',
    ],
  ])('%s', (_name, given, vote) => {
    expect(judge('blast-radius', given).vote).toBe(vote)
  })
})

it('treats a project in a temporary folder as real work', () => {
  const place = (inside: boolean, home = '/home/u') => ({ inside, home })
  expect(isDisposable('/tmp/x', place(false))).toBe(true)
  expect(isDisposable('/tmp/project/x', place(true))).toBe(false)
  expect(isDisposable('/tmp/person/notes/x', place(false, '/tmp/person'))).toBe(false)
  expect(isDisposable('/home/u/site/dist/a.js', place(true))).toBe(true)
  expect(isDisposable('/home/u/site/src/a.js', place(true))).toBe(false)
})

it('recognises secrets by paths and commands', () => {
  const secret = [
    '/home/u/.ssh/id_rsa',
    '/a/.env',
    '/a/.env.production',
    '/k/tls.pem',
    '/home/u/.netrc',
    '/proc/1/environ',
  ]
  const plain = [
    '/home/u/.ssh/known_hosts',
    '/home/u/.ssh/id_rsa.pub',
    '/a/.env.example',
    '/a/environment.ts',
    '/a/token.ts',
    '/home/u/.aws/cli/cache',
  ]
  expect(secret.filter((path) => !isCredentialPath(path))).toEqual([])
  expect(plain.filter(isCredentialPath)).toEqual([])
  expect(
    ['printenv', 'gh auth token', 'op read op://a/b', 'kubectl -n x get secret y -o yaml'].every(
      isCredentialCommand,
    ),
  ).toBe(true)
  expect(
    ['env FOO=1 node x', 'gh pr list', 'passwd', 'kubectl get pods'].some(isCredentialCommand),
  ).toBe(false)
})

it('matches paths as people write them', () => {
  const matches = (pattern: string, path: string) => matchesGlob(pattern, path, '/home/u')
  expect(matches('~/site', '/home/u/site/a/b')).toBe(true)
  expect(matches('~/site/**', '/home/u/site')).toBe(true)
  expect(matches('~/site', '/home/u/site2')).toBe(false)
  expect(matches('/srv/*/logs', '/srv/a/logs/x')).toBe(true)
  expect(matches('/srv/*/logs', '/srv/a/b/logs')).toBe(false)
  expect(matches('*.pem', '/deep/down/a.pem')).toBe(true)
  expect(matches('/a+b(c)', '/a+b(c)/d')).toBe(true)
  expect(matches('/', '/anything')).toBe(true)
  expect(matches('/a/**/', '/a/b')).toBe(true)
  expect(matches('/a/**/b', '/a/b')).toBe(true)
  expect(matches('/a/**/b', '/a/x/y/b/c')).toBe(true)
  expect(matches('/a/**/b', '/a/xb')).toBe(false)
  expect(matches('/a?c', '/a/c')).toBe(false)
})

it('matches a path in a time that grows with the length of the pattern, however many stars', () => {
  const work = { steps: 0 }
  const [pattern, path] = [`/${'**a*'.repeat(60)}b`, `/${'a'.repeat(2000)}`]
  expect(matchesGlob(pattern, path, '/home/u', work)).toBe(false)
  expect(work.steps).toBeLessThanOrEqual(pattern.length * (path.length + 1))
})

describe('a policy file', () => {
  it('is read, with defaults', () => {
    const parsed = parseObserverPolicy('intent: rotate keys\nallowedPaths: [~/site]\n', 'p.yaml')
    expect(parsed).toMatchObject({
      ok: true,
      value: { intent: 'rotate keys', forbiddenEffects: [], limits: { deletesPerCycle: 10 } },
    })
    expect(parseObserverPolicy('', 'p.yaml').ok).toBe(true)
  })

  it.each([
    ['allowedPath: [a]', /allowedPath: unknown key/],
    ['forbiddenEffects: [explode]', /forbiddenEffects\[0\]/],
    ['a: [', /p\.yaml/],
    ['- list', /expected|must be/i],
    ['allowedPaths: &a [x]\nforbiddenPaths: *a', /aliases/],
  ])('with a mistake is rejected with its position: %s', (text, message) => {
    const parsed = parseObserverPolicy(text, 'p.yaml')
    expect(parsed.ok ? '' : parsed.error.message).toMatch(message)
  })
})

describe('where observers should not be used', () => {
  const work = Array.from({ length: 5 }, (_, n) => row(n, `write /work/${n}`))
  const prompt = (second: number, text = 'go on') =>
    row(second, '', { type: 'user_prompt', prompt: text })
  const asked = (second: number) => row(second, '', { type: 'permission_request' })
  const look = (
    events: ReturnType<typeof row>[],
    policy: object = {},
    entry: { effort?: string; task?: string } = {},
  ) =>
    findObjections({
      events,
      entry,
      policy: observerPolicy.parse(policy),
      readCall,
      now: START + 60_000,
    }).map(({ rule }) => rule)

  it('has no objection to five calls that change something', () => {
    expect(look([prompt(0), ...work])).toEqual([])
  })
  it('refuses a conversation', () => {
    expect(look([prompt(0), prompt(20), ...work])).toEqual(['interactive'])
    expect(look([prompt(-3600), prompt(0), ...work])).toEqual([])
  })
  it('refuses what is urgent', () => {
    expect(look(work, { timeSensitive: true })).toEqual(['time-sensitive'])
    expect(look([prompt(0, 'fix the outage'), ...work])).toEqual(['time-sensitive'])
    expect(look(work, {}, { task: 'deploy ASAP' })).toEqual(['time-sensitive'])
  })
  it('refuses short tasks, unless stated to be long', () => {
    expect(look(work.slice(1))).toEqual(['short'])
    expect(look([])).toEqual(['short'])
    expect(look(work.slice(1), {}, { effort: 'Advanced' })).toEqual([])
    expect(look(work.slice(1), {}, { effort: 'Standard' })).toEqual(['short'])
  })
  it('refuses read-only sessions, unless more is expected', () => {
    const reads = work.map((_, n) => row(n, `read /work/${n}`))
    expect(look(reads)).toEqual(['read-only'])
    expect(look(reads, { expectedEffects: ['write'] })).toEqual([])
  })
  it('refuses sessions in which the user approves every change', () => {
    expect(look([...work, ...work.map((_, n) => asked(n))])).toEqual(['preflight'])
    expect(look([...work, ...work.slice(1).map((_, n) => asked(n))])).toEqual([])
  })
})

it('splits a recorded log into its cycles', () => {
  const events = [row(0, 'a'), row(29, 'b'), row(31, 'c'), row(5, 'late'), row(600, 'd')]
  const odd = { ...row(0, 'no time'), timestamp: '' }
  const cycles = splitIntoCycles([...events, odd])
  expect(cycles.map(({ endsAt, events: own }) => [(endsAt - START) / 1000, own.length])).toEqual([
    [30, 2],
    [60, 2],
    [630, 2],
  ])
  expect(splitIntoCycles([])).toEqual([])
})

it('recognises credentials in long texts in a bounded time', () => {
  // Quadratic time would be minutes, so it is enough that this returns.
  expect(isCredentialPath(`${'/.docker'.repeat(50_000)}\n`)).toBe(false)
  expect(isCredentialPath(`${'/a'.repeat(50_000)}/.netrc`)).toBe(true)
  expect(isCredentialCommand(`kubectl${' '.repeat(200_000)}x`)).toBe(false)
  expect(isCredentialCommand('kubectl  -n x   get  secret y')).toBe(true)
})
