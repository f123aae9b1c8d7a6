import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { dirname, join } from 'node:path'
import { holdLock } from '@steward/platform'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildHook, createHookHome, type HookHome, toolCall } from './hooks-process.ts'

let program: string
let hooks: HookHome
beforeAll(() => {
  program = buildHook()
})
beforeEach(() => {
  hooks = createHookHome(program)
})
afterEach(() => hooks.remove())

/** The limit for a hook on a busy machine if a dependency hangs: far below a host's timeout. */
const IN_TIME_MS = 10_000

const serve = async (
  handle: Parameters<typeof createServer>[1],
): Promise<{ port: number; server: Server }> => {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no address')
  return { port: address.port, server }
}

/**
 * A Node without SQLite, as an operating system may provide it; a plugin starts with the one on the
 * PATH.
 */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node'].find((node) =>
  /^v(?:18|20)\./.test(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''),
)
const dangerous = {
  session_id: 's1',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'rm -rf /' },
}
const decisionOf = (stdout: string): unknown =>
  JSON.parse(stdout).hookSpecificOutput.permissionDecision

describe.skipIf(oldNode === undefined)('the hook program on an old Node', () => {
  it('uses the Node that came with it', async () => {
    const old = createHookHome(program, hooks.home, oldNode)
    const prompt = { session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: 'mend a roof' }
    const outcomes = await Promise.all([
      old.fire('UserPromptSubmit', prompt),
      old.fire('PreToolUse --guard', dangerous),
    ])
    expect(outcomes).toMatchObject(Array(2).fill({ code: 0, stderr: '' }))
    expect(decisionOf(outcomes[1].stdout)).toBe('deny')
    expect(old.rows('tool-activity')).toHaveLength(1)
    expect(readFileSync(join(old.home, 'MEMORY/STATE/work.json'), 'utf8')).toContain('s1')
  })

  it('without another Node still judges and writes rows, and reports what it cannot do', async () => {
    const alone = join(hooks.home, 'alone')
    cpSync(dirname(program), alone, { recursive: true })
    const old = createHookHome(join(alone, 'steward-hook.mjs'), hooks.home, oldNode)
    const [guarded, told] = await Promise.all([
      old.fire('PreToolUse --guard', dangerous),
      old.fire('PostToolUse', toolCall('t1')),
    ])
    expect([guarded.code, decisionOf(guarded.stdout)]).toEqual([0, 'deny'])
    expect(told).toMatchObject({ code: 0, stderr: expect.stringContaining('22.13 or later') })
    expect(old.rows('tool-activity')).toHaveLength(1)
  })
})

it('asks before each tool call if the hook program is broken, and blocks nothing else', async () => {
  const broken = join(hooks.home, 'broken')
  cpSync(dirname(program), broken, { recursive: true })
  for (const name of ['steward-hook-program.js', 'steward-hook-guard.js']) {
    writeFileSync(join(broken, name), 'half a file (')
  }
  const own = createHookHome(join(broken, 'steward-hook.mjs'), hooks.home)
  const [guarded, told, prompted] = await Promise.all([
    own.fire('PreToolUse --guard', dangerous),
    own.fire('PostToolUse', toolCall('t1')),
    own.fire('UserPromptSubmit --guard', { prompt: 'x' }),
  ])
  expect([guarded.code, decisionOf(guarded.stdout)]).toEqual([0, 'ask'])
  const silent = { code: 0, stdout: '', stderr: expect.stringContaining('could not start') }
  expect([told, prompted]).toMatchObject([silent, silent])
})

describe('the hook program', () => {
  it('records a session from start to end, each event once', async () => {
    const at = (name: string, more: object = {}) =>
      hooks.fire(name, { session_id: 's1', hook_event_name: name, cwd: '/tmp', ...more })
    const agent = {
      tool_name: 'Agent',
      tool_use_id: 'call',
      tool_input: {
        description: 'count',
        prompt: 'Count.',
        subagent_type: 'x',
        run_in_background: false,
      },
    }
    await at('SessionStart', { source: 'startup' })
    await at('UserPromptSubmit', { prompt: 'build me a roof' })
    await hooks.fire(
      'PostToolUse',
      toolCall('t1', {
        tool_input: {
          command: 'curl -u me:pw https://a:secret99@h/ -H "Authorization: Bearer abcdefghij"',
        },
      }),
    )
    await at('PostToolUseFailure', {
      tool_name: 'Read',
      tool_use_id: 't2',
      error: 'no such file',
      tool_input: { file_path: 'x' },
    })
    await at('PreToolUse', agent)
    await at('SubagentStart', { agent_id: 'a1', agent_type: 'x' })
    await hooks.fire('PostToolUse', toolCall('t3', { agent_id: 'a1', agent_type: 'x' }))
    await at('SubagentStop', { agent_id: 'a1', agent_type: 'x' })
    await at('PostToolUse', { ...agent, tool_response: { status: 'completed', agentId: 'a1' } })
    await at('Stop', { last_assistant_message: 'Done.' })
    const end = await at('SessionEnd', { reason: 'other' })
    expect(end).toMatchObject({ code: 0, stdout: '', stderr: '' })

    const activity = hooks.rows('tool-activity')
    expect(activity.map(({ type }) => type)).toEqual([
      'session_start',
      'user_prompt',
      'tool_use',
      'tool_use',
      'tool_use',
      'turn_end',
      'session_end',
    ])
    expect(activity.map(({ agent_id }) => agent_id)).toEqual([
      null,
      null,
      null,
      'a1',
      null,
      null,
      null,
    ])
    expect(JSON.stringify(activity)).not.toMatch(/secret99|abcdefghij/)
    expect(hooks.rows('tool-failures')).toMatchObject([
      { tool_use_id: 't2', error: 'no such file' },
    ])
    expect(hooks.rows('subagent-events')).toMatchObject([
      {
        type: 'subagent_start',
        agent_id: 'a1',
        tool_use_id: 'call',
        description: 'count',
        run_in_background: false,
      },
      {
        type: 'subagent_stop',
        agent_id: 'a1',
        tool_use_id: 'call',
        duration_seconds: expect.any(Number),
      },
    ])
    const state = JSON.parse(readFileSync(join(hooks.home, 'MEMORY/STATE/work.json'), 'utf8'))
    expect(Object.values(state.sessions)).toMatchObject([
      { sessionUUID: 's1', mode: 'starting', phase: 'complete', sessionName: 'Build Me A Roof' },
    ])
  })

  it('links a background agent to its call, even if the agent is reported first', async () => {
    const at = (name: string, more: object) =>
      hooks.fire(name, { session_id: 's1', hook_event_name: name, ...more })
    const call = {
      tool_name: 'Agent',
      tool_use_id: 'c',
      tool_input: { description: 'count', prompt: 'p' },
    }
    await at('PreToolUse', call)
    await at('PostToolUse', { ...call, tool_response: { status: 'async_launched', agentId: 'a' } })
    await at('SubagentStart', { agent_id: 'a', agent_type: 'x' })
    await at('SubagentStop', { agent_id: 'a', agent_type: 'x' })
    const tied = { agent_id: 'a', tool_use_id: 'c', description: 'count' }
    expect(hooks.rows('subagent-events')).toMatchObject([
      { type: 'subagent_spawned_async', ...tied },
      { type: 'subagent_start', ...tied, subagent_type: 'x' },
      { type: 'subagent_stop', ...tied },
    ])
  })

  it('records a written specification', async () => {
    const folder = join(hooks.home, 'MEMORY/WORK/20260101-000000_roof')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'SPEC.md')
    writeFileSync(
      file,
      '---\ntask: Roof\nphase: build\nprogress: 0/1\n---\n## Criteria\n- [ ] ISC-1: it holds\n',
    )
    await hooks.fire(
      'PostToolUse',
      toolCall('w', { tool_name: 'Write', tool_input: { file_path: file, content: 'x' } }),
    )
    const state = JSON.parse(readFileSync(join(hooks.home, 'MEMORY/STATE/work.json'), 'utf8'))
    expect(state.sessions['20260101-000000_roof']).toMatchObject({
      phase: 'build',
      sessionUUID: 's1',
    })
  })

  it('pushes to targets itself while no daemon runs, and leaves it to a running daemon', async () => {
    const pushed: unknown[] = []
    const { port, server } = await serve((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        if (request.url?.endsWith('/events')) pushed.push(JSON.parse(body))
        response.end('{"ok":true}')
      })
    })
    const targets = [{ name: 't', type: 'http', url: `http://127.0.0.1:${port}` }]
    writeFileSync(join(hooks.home, 'settings.json'), JSON.stringify({ observability: { targets } }))
    await hooks.fire('PostToolUse', toolCall('t1'))
    expect(pushed).toMatchObject([[{ tool_use_id: 't1', source: 'tool-activity' }]])

    const lock = holdLock(join(hooks.home, 'state/daemon.lock'))
    await hooks.fire('PostToolUse', toolCall('t2'))
    expect(pushed).toHaveLength(1)
    lock?.release()
    server.close()
  })

  it('passes the spoken line to the daemon once, without waiting for a daemon that hangs', async () => {
    const heard: unknown[] = []
    let hangs = false
    const { port, server } = await serve((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        heard.push(JSON.parse(body))
        if (!hangs) response.end('{}')
      })
    })
    const lock = holdLock(join(hooks.home, 'state/daemon.lock'))
    const info = { pid: 1, address: `http://127.0.0.1:${port}`, startedAt: '' }
    writeFileSync(join(hooks.home, 'state/daemon.json'), JSON.stringify(info))
    const stop = {
      session_id: 's1',
      hook_event_name: 'Stop',
      last_assistant_message: 'x\n🗣️ The roof is on.',
    }
    expect(await hooks.fire('Stop', stop)).toMatchObject({ code: 0, stderr: '' })
    hangs = true
    const hung = await hooks.fire('Stop', stop)
    expect(hung).toMatchObject({ code: 0 })
    expect(hung.wallMs).toBeLessThan(IN_TIME_MS)
    expect(heard).toEqual([
      { message: 'The roof is on.', session_id: 's1' },
      { message: 'The roof is on.', session_id: 's1' },
    ])
    expect(hooks.rows('tool-activity')).toHaveLength(2)
    lock?.release()
    server.closeAllConnections()
    server.close()
  })

  it('gives up on targets that hang, in time, with the rows written', async () => {
    const { port, server } = await serve(() => undefined)
    const targets = [{ name: 't', type: 'http', url: `http://127.0.0.1:${port}` }]
    writeFileSync(join(hooks.home, 'settings.json'), JSON.stringify({ observability: { targets } }))
    const outcomes = await Promise.all([
      hooks.fire('PostToolUse', toolCall('t1')),
      hooks.fire('Stop', { session_id: 's1', hook_event_name: 'Stop' }),
    ])
    for (const { code, wallMs } of outcomes) {
      expect(code).toBe(0)
      expect(wallMs).toBeLessThan(IN_TIME_MS)
    }
    expect(hooks.rows('tool-activity')).toHaveLength(2)
    server.closeAllConnections()
    server.close()
  })

  it('tolerates invalid standard input', async () => {
    const rubbish = [
      '',
      'hello\n',
      '{"session_id":"s1","hook_event_na',
      '[1,2,3]',
      'null',
      '\0'.repeat(5000),
      '['.repeat(20_000),
    ]
    const outcomes = await Promise.all(rubbish.map((text) => hooks.fireText('PostToolUse', text)))
    for (const [index, outcome] of outcomes.entries()) {
      expect(outcome, rubbish[index]?.slice(0, 40)).toMatchObject({ code: 0, stdout: '' })
      expect(outcome.stderr.length).toBeLessThan(2000)
    }
  })

  it('prints its usage if it is called incorrectly', async () => {
    expect(await hooks.fireText('x', '{}', 'nobody')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('usage: steward-hook'),
    })
  })

  it('accepts payloads of ten megabytes and writes a short row', async () => {
    const big = 'x'.repeat(10 * 1024 * 1024)
    const call = toolCall('big', { tool_input: { command: big }, tool_response: { stdout: big } })
    expect(await hooks.fire('PostToolUse', call)).toMatchObject({ code: 0, stderr: '' })
    const [row] = hooks.rows('tool-activity')
    expect(JSON.stringify(row).length).toBeLessThan(3000)
    expect(row).toMatchObject({ ground_truth: { stdout_bytes: big.length } })
  })

  it('reports a home that is not writable, and does not fail its host', async () => {
    writeFileSync(join(hooks.home, 'MEMORY'), 'in the way')
    const outcome = await hooks.fire('PostToolUse', toolCall('t1'))
    expect(outcome).toMatchObject({ code: 0, stdout: '' })
    expect(outcome.stderr).toContain('steward-hook:')
    chmodSync(hooks.home, 0o500)
    expect(
      await hooks.fire('UserPromptSubmit', { session_id: 's', prompt: 'hello there' }),
    ).toMatchObject({ code: 0 })
    chmodSync(hooks.home, 0o700)
  })

  it('loses and truncates no row when fifty run at once, repeatedly', async () => {
    // `bench/hooks-storm.ts` runs a hundred rounds.
    const ROUNDS = 2
    const AT_ONCE = 50
    await hooks.fire('UserPromptSubmit', { session_id: 's1', prompt: 'build it' })
    const expected = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      const ids = Array.from({ length: AT_ONCE }, (_, index) => `r${round}-${index}`)
      for (const id of ids) expected.add(id)
      const outcomes = await Promise.all(
        ids.map((id) =>
          hooks.fire('PostToolUse', toolCall(id, { tool_input: { command: id.repeat(200) } })),
        ),
      )
      expect(outcomes.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([])
      expect(hooks.running()).toBe(0)
    }
    const seen = hooks.rows('tool-activity').flatMap(({ tool_use_id }) => tool_use_id ?? [])
    expect(seen).toHaveLength(expected.size)
    expect(new Set(seen)).toEqual(expected)
  })
})
