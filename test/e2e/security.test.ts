import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS, securityOverview } from '@steward/contract'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'

let cli: Cli
let daemon: DaemonProcess
beforeEach(async () => {
  cli = createCli()
  // Voice is off, because a spoken announcement of a block would write to the voice log later.
  cli.write('settings.json', JSON.stringify({ voice: { enabled: false } }))
  daemon = await startDaemonProcess(cli)
})
afterEach(async () => {
  await daemon.kill()
  cli.remove()
})

const call = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const bearer = { authorization: `Bearer ${daemon.token()}` }
  const answer = await daemon.fetch(path, {
    ...(body === undefined
      ? {}
      : {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', ...bearer, ...headers },
        }),
  })
  return { status: answer.status, etag: answer.headers.get('etag'), body: await answer.json() }
}
const changed = z.object({ ok: z.literal(true), revision: z.string(), undo: z.string() })
const edit = async (body: object) =>
  changed.parse((await call('/api/security/patterns', body)).body)
const bash = (command: string) =>
  call('/hooks/security-guard?host=claude', {
    session_id: 's1',
    hook_event_name: 'PreToolUse',
    cwd: cli.files,
    tool_name: 'Bash',
    tool_input: { command },
  })
const decision = async (command: string) => {
  const { body } = await bash(command)
  return z
    .looseObject({
      hookSpecificOutput: z.looseObject({ permissionDecision: z.string().optional() }).optional(),
    })
    .parse(body).hookSpecificOutput?.permissionDecision
}
const security = (...path: string[]) => join(cli.home, 'USER/SECURITY', ...path)
const files = () =>
  readdirSync(cli.home, { recursive: true, withFileTypes: true })
    .filter(({ name }) => /\.(ya?ml|md|jsonl|json)$/.test(name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
    .map((path) => [path, readFileSync(path, 'utf8')])

it('leads from the built-in policy to a custom one, and shows its decisions', async () => {
  const fresh = await call('/api/security')
  expect(securityOverview.parse(fresh.body)).toMatchObject({ source: 'defaults', events: [] })
  expect(fresh.etag).toBe('"none"')
  expect(await decision('frob --all')).toBeUndefined()

  const anonymous = await daemon.fetch('/api/security/patterns', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'add_path', tier: 'readOnly', path: '/x' }),
  })
  expect(anonymous.status).toBe(401)

  // Edits apply from the next tool call on, and can be undone.
  const added = await edit({
    action: 'add_pattern',
    section: 'blocked',
    pattern: '^frob\\b',
    reason: 'frobs everything',
  })
  expect(readFileSync(security('PATTERNS.yaml'), 'utf8')).toMatch(/^# What the guards refuse/)
  expect(await decision('frob --all')).toBe('deny')
  await edit({ action: 'set_shadow', rule: 'bash.blocked: ^frob\\b', shadow: true })
  expect(await decision('frob --all')).toBeUndefined()
  const counted = securityOverview.parse((await call('/api/security')).body)
  expect(counted.eventCounts).toMatchObject({ blocks: 1, shadowed: 1 })
  expect(counted.ruleCounts).toContainEqual(
    expect.objectContaining({ rule: 'bash.blocked: ^frob\\b', shadow: true, last7Days: 1 }),
  )
  const strong = await edit({ action: 'set_shadow', rule: 'bash.blocked: ^frob\\b', shadow: false })
  expect(strong.revision).toBe(added.revision)

  // A rejected edit gives the reason and writes nothing.
  const before = files()
  const patterns = '/api/security/patterns'
  const path = { action: 'add_path', tier: 'readOnly', path: '/y' }
  const cases: Array<[string, unknown, number, string]> = [
    [patterns, { action: 'explode' }, 400, 'invalid_input'],
    [patterns, { action: 'add_pattern', section: 'alert', pattern: '(' }, 400, 'invalid_input'],
    [
      patterns,
      { action: 'edit_path', tier: 'readOnly', index: 999, path: '/y' },
      400,
      'invalid_input',
    ],
    [patterns, { action: 'remove_path', tier: 'readOnly', path: '/no' }, 404, 'not_found'],
    [patterns, { ...path, revision: 'old' }, 412, 'version_conflict'],
    ['/api/security/undo', { undo: '../../token' }, 404, 'not_found'],
    [
      '/api/security/rules',
      { content: 'x'.repeat(LIMITS.securityRulesBytes + 1) },
      413,
      'payload_too_large',
    ],
    [
      '/api/security/rules',
      { content: 'x'.repeat(LIMITS.daemonBodyBytes + 1) },
      413,
      'payload_too_large',
    ],
    ['/api/security/rules', {}, 400, 'invalid_input'],
    ['/api/security/try', {}, 400, 'invalid_input'],
  ]
  for (const [route, body, status, code] of cases) {
    const refused = await call(route, body)
    expect([route, refused.status, refused.body]).toEqual([
      route,
      status,
      expect.objectContaining({ success: false, code, error: expect.any(String) }),
    ])
  }
  const stale = await call(patterns, path, { 'if-match': '"old"' })
  expect([stale.status, stale.body]).toEqual([
    412,
    expect.objectContaining({ current: strong.revision }),
  ])
  expect(files()).toEqual(before)

  // The guards protect their own files.
  const log = join(cli.home, 'MEMORY/SECURITY/head.json')
  for (const command of [
    `echo > ${security('PATTERNS.yaml')}`,
    `rm -rf ${join(cli.home, 'MEMORY/SECURITY')}`,
    'steward security add trusted .',
  ]) {
    const tried = await call('/api/security/try', { input: command })
    expect([command, tried.body]).toEqual([
      command,
      expect.objectContaining({
        verdict: 'deny',
        rule: expect.stringContaining('self-protection'),
      }),
    ])
  }
  const written = await call('/api/security/try', { path: log, effect: 'write' })
  expect(written.body).toMatchObject({ verdict: 'deny' })

  // The command line has the same policy, log and undo.
  expect(await cli.json(['security', 'try', '--input', 'frob x', '--json'])).toMatchObject({
    verdict: 'deny',
    rule: 'bash.blocked: ^frob\\b',
  })
  await cli.json(['security', 'add', 'noDelete', '~/contracts', '--json'])
  expect(await decision('rm -r ~/contracts')).toBe('deny')
  await cli.json(['security', 'undo', '--json'])
  expect(await decision('rm -r ~/contracts')).not.toBe('deny')
  expect(await cli.json(['security', 'show', '--json'])).toMatchObject({
    source: 'file',
    revision: strong.revision,
  })

  // The log survives a kill and shows tampering.
  await daemon.kill()
  expect(await cli.json(['security', 'verify', '--json'])).toMatchObject({ ok: true, torn: 0 })
  const shown = await cli.json(['security', 'events', '--limit', '3', '--json'])
  expect(shown).toMatchObject({ events: [{}, {}, {}], next: expect.any(String) })
  const [day = ''] = readdirSync(join(cli.home, 'MEMORY/SECURITY'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.jsonl'))
  const file = join(cli.home, 'MEMORY/SECURITY', day)
  writeFileSync(file, readFileSync(file, 'utf8').replace('frob --all', 'ls        '))
  const found = await cli.run(['security', 'verify'])
  expect([found.code, found.stdout]).toEqual([1, expect.stringContaining('it was changed')])
  writeFileSync(security('PATTERNS.yaml'), `bash: ${'['.repeat(100_000)}`)

  daemon = await startDaemonProcess(cli)
  const broken = securityOverview.parse((await call('/api/security')).body)
  expect(broken).toMatchObject({ source: 'defaults', problem: expect.stringContaining('built-in') })
  expect((await call('/api/security/verify')).body).toMatchObject({ ok: false })
  expect(await decision('mkfs /dev/sda')).toBe('deny')
  const { status, reasons } = await daemon.health()
  expect([status, reasons.join('\n')]).toEqual([
    'degraded',
    expect.stringContaining('security log'),
  ])

  // Hooks are reported as installed; learning is empty without a writer.
  const details = z
    .record(z.string(), z.looseObject({ registered: z.boolean() }))
    .parse((await call('/api/security/hooks-detail')).body)
  expect(Object.values(details).some(({ registered }) => registered)).toBe(false)
  const started = await call('/api/runs', { name: 'A_FORMAT_MARKDOWN', input: {} })
  expect(started.status).toBe(202)
  expect((await call('/api/novelty')).body).toMatchObject({
    runs: [{ name: 'A_FORMAT_MARKDOWN', primitive: 'action' }],
  })
})
