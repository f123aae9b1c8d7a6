import type Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CLIENT_VERSIONS } from './testing/client-versions.ts'
import {
  freshName,
  isTurnEnd,
  isWaiting,
  makeScripted,
  readUntil,
  type Streamed,
  say,
  sendAndRead,
  textsOf,
} from './testing/follow.ts'
import type { Line, MessagesRequest } from './testing/scripted-messages.ts'
import { connect, startWorld, type World } from './testing/start-world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => {
  expect(world.failures).toEqual([])
  await world.stop()
})

const TOOLSET = { type: 'agent_toolset_20260401' as const }
const pick = <T extends Streamed['type']>(events: readonly Streamed[], type: T) =>
  events.filter((event): event is Extract<Streamed, { type: T }> => event.type === type)
const tell = (agent: string, message: string) => ({
  name: 'send_to_agent',
  input: { agent, message },
})
const delegates = (...calls: ReturnType<typeof tell>[]): Line => ({ calls })

describe.each(CLIENT_VERSIONS)('threads with client $version', (version) => {
  let client: Anthropic
  let faults: string[]
  beforeAll(async () => {
    const connected = await connect(world, version)
    client = connected.client
    faults = connected.faults
  })
  afterAll(() => expect(faults).toEqual([]))

  const makeWorker = async (
    lines: readonly Line[],
    params: Partial<Anthropic.Beta.AgentCreateParams> = {},
  ) => {
    const system = world.model.script(...lines)
    const name = freshName('Worker')
    const agent = await client.beta.agents.create({
      name,
      model: 'claude-opus-4-6',
      system,
      description: 'Does one thing.',
      tools: [TOOLSET],
      ...params,
    })
    return { agent, name, asked: () => world.model.askedBy(system) }
  }
  const coordinate = (
    lines: readonly Line[],
    agents: readonly string[],
    session: Partial<Anthropic.Beta.SessionCreateParams> = {},
  ) =>
    makeScripted(world, client, lines, {
      tools: [TOOLSET],
      multiagent: { type: 'coordinator', agents: [...agents] },
      session,
    })
  const threadsOf = async (session_id: string) =>
    (await client.beta.sessions.threads.list(session_id)).data

  test('a coordinator delegates to two agents that share its files and report back', async () => {
    const bash = (command: string) => ({ name: 'bash', input: { command } })
    const first = await makeWorker([
      { calls: [bash('cd /tmp && echo six > /workspace/first.txt')] },
      { says: 'The first tide is at six.' },
    ])
    const second = await makeWorker([
      { calls: [bash('pwd && echo noon > /workspace/second.txt')] },
      { says: 'The second tide is at noon.' },
    ])
    const { session, asked } = await coordinate(
      [
        delegates(tell(first.name, 'Find the first tide.'), tell(second.name, 'The second.')),
        { says: 'I wait.' },
        { says: 'I have heard from them.' },
      ],
      [first.agent.id, second.agent.id],
    )
    expect(session.agent.multiagent).toMatchObject({
      type: 'coordinator',
      agents: [{ name: first.name, version: 1 }, { name: second.name }],
    })
    const seen = await sendAndRead(client, session.id, [say('When is high water?')], isTurnEnd)
    expect(pick(seen, 'session.status_idle')).toHaveLength(1)
    expect(pick(seen, 'session.status_running')).toHaveLength(1)
    expect(pick(seen, 'session.thread_created').map(({ agent_name }) => agent_name)).toEqual([
      first.name,
      second.name,
    ])
    const reports = pick(seen, 'agent.thread_message_received')
    expect(reports.map(({ from_agent_name }) => from_agent_name).sort()).toEqual(
      [first.name, second.name].sort(),
    )
    expect(textsOf(seen).at(-1)).toBe('I have heard from them.')
    const shown = JSON.stringify(asked().at(-1)?.messages)
    expect(shown).toContain('The first tide is at six.')
    expect(shown).toContain('The second tide is at noon.')

    const [primary, ...children] = await threadsOf(session.id)
    expect(primary).toMatchObject({ parent_thread_id: null, session_id: session.id })
    expect(children).toHaveLength(2)
    for (const child of children)
      expect(child).toMatchObject({ parent_thread_id: primary?.id, status: 'idle' })
    const own = children.map(({ usage }) => usage?.input_tokens ?? 0)
    expect(own).toEqual([2000, 2000])
    const whole = await client.beta.sessions.retrieve(session.id)
    expect(whole.usage.input_tokens).toBe((primary?.usage?.input_tokens ?? 0) + 4000)

    const child = children[0]?.id ?? ''
    const { data } = await client.beta.sessions.threads.events.list(child, {
      session_id: session.id,
    })
    const types = data.map(({ type }) => type)
    expect(types.at(0)).toBe('agent.thread_message_received')
    expect(types).toContain('agent.tool_use')
    expect(types.slice(-2)).toEqual(['agent.thread_message_sent', 'session.thread_status_idle'])
    // Each thread has its own shell: the other one changed its directory.
    const out = JSON.stringify(
      (
        await client.beta.sessions.threads.events.list(children[1]?.id ?? '', {
          session_id: session.id,
        })
      ).data.filter(({ type }) => type === 'agent.tool_result'),
    )
    expect(out).toContain('/workspace')
    await expect(client.beta.sessions.retrieve(child)).rejects.toThrow()
    expect((await client.beta.sessions.list()).data.map(({ id }) => id)).not.toContain(child)
  })

  test('a thread is continued, streamed by itself, and archived', async () => {
    const hold = Promise.withResolvers<void>()
    const worker = await makeWorker([
      { says: 'One.', after: hold.promise },
      { says: 'Two, after one.' },
    ])
    const again = ({ messages }: MessagesRequest) => {
      const thread_id = /sthr_\w+/.exec(JSON.stringify(messages))?.[0]
      return [{ name: 'send_to_agent', input: { thread_id, message: 'Go on.' } }]
    }
    const { session, asked } = await coordinate(
      [
        delegates(tell(worker.name, 'Count.')),
        { says: 'Wait.' },
        { calls: again },
        { says: 'Wait again.' },
        { says: 'It counted.' },
      ],
      [worker.agent.id],
    )
    const stream = await client.beta.sessions.events.stream(session.id)
    await client.beta.sessions.events.send(session.id, { events: [say('count')] })
    await vi.waitFor(() => expect(worker.asked()).toHaveLength(1), { timeout: 5000 })
    const [, begun] = await threadsOf(session.id)
    const ofThread = await client.beta.sessions.threads.events.stream(begun?.id ?? '', {
      session_id: session.id,
      event_deltas: ['agent.message'],
    })
    hold.resolve()
    const own = await readUntil(ofThread, ({ type }) => type === 'session.thread_status_idle')
    expect(textsOf(own)).toEqual(['One.'])
    const seen = await readUntil(stream, isTurnEnd)
    expect(textsOf(seen)).toEqual(['Wait.', 'Wait again.', 'It counted.'])
    expect(asked()).toHaveLength(5)
    const remembered = JSON.stringify(worker.asked()[1]?.messages)
    for (const text of ['Count.', 'One.', 'Go on.']) expect(remembered).toContain(text)
    const [, child] = await threadsOf(session.id)
    const thread_id = child?.id ?? ''
    const params = { session_id: session.id }
    expect(await client.beta.sessions.threads.retrieve(thread_id, params)).toMatchObject({
      id: begun?.id,
      status: 'idle',
    })
    const archived = await client.beta.sessions.threads.archive(thread_id, params)
    expect(archived).toMatchObject({ status: 'terminated' })
    expect(archived.archived_at).not.toBeNull()
    expect((await client.beta.sessions.threads.archive(thread_id, params)).archived_at).toBe(
      archived.archived_at,
    )
    const [primary] = await threadsOf(session.id)
    await expect(client.beta.sessions.threads.archive(primary?.id ?? '', params)).rejects.toThrow(
      'archived with its session',
    )
    await client.beta.sessions.archive(session.id)
    await client.beta.sessions.delete(session.id)
    await expect(client.beta.sessions.threads.retrieve(thread_id, params)).rejects.toThrow()
  })

  test('what a thread asks is answered on the session', async () => {
    const lookup = {
      type: 'custom' as const,
      name: 'lookup',
      description: 'Looks up.',
      input_schema: { type: 'object' as const },
    }
    const worker = await makeWorker(
      [
        { calls: [{ name: 'bash', input: { command: 'echo allowed' } }] },
        { calls: [{ name: 'lookup', input: { word: 'ebb' } }] },
        { says: 'Ebb is the falling tide.' },
      ],
      {
        tools: [
          { ...TOOLSET, default_config: { permission_policy: { type: 'always_ask' } } },
          lookup,
        ],
      },
    )
    const { session } = await coordinate(
      [delegates(tell(worker.name, 'Explain ebb.')), { says: 'Wait.' }, { says: 'Explained.' }],
      [worker.agent.id],
    )
    const asking = await sendAndRead(client, session.id, [say('what is ebb?')], isWaiting)
    const [call] = pick(asking, 'agent.tool_use').filter(({ name }) => name === 'bash')
    const [, child] = await threadsOf(session.id)
    expect(call).toMatchObject({ session_thread_id: child?.id })
    expect(asking.at(-1)).toMatchObject({
      stop_reason: { type: 'requires_action', event_ids: [call?.id] },
    })
    expect((await client.beta.sessions.retrieve(session.id)).status).toBe('idle')
    const more = await sendAndRead(
      client,
      session.id,
      [{ type: 'user.tool_confirmation', tool_use_id: call?.id ?? '', result: 'allow' }],
      isWaiting,
    )
    expect(more[0]).toMatchObject({ session_thread_id: child?.id })
    const [custom] = pick(more, 'agent.custom_tool_use')
    const done = await sendAndRead(
      client,
      session.id,
      [
        {
          type: 'user.custom_tool_result',
          custom_tool_use_id: custom?.id ?? '',
          content: [{ type: 'text', text: 'falling' }],
        },
      ],
      isTurnEnd,
    )
    expect(textsOf(done).at(-1)).toBe('Explained.')
    expect(JSON.stringify(worker.asked().at(-1)?.messages)).toContain('falling')
  })

  test('an interrupt stops all threads, or one of them', async () => {
    const slow = await makeWorker([{ begins: 'I think' }])
    const { session } = await coordinate(
      [
        delegates(tell(slow.name, 'Think.')),
        { says: 'Wait.' },
        { says: 'It was stopped.' },
        delegates(tell(slow.name, 'Think again.')),
        { says: 'Wait again.' },
      ],
      [slow.agent.id],
    )
    const { events } = client.beta.sessions
    const stream = await events.stream(session.id)
    await events.send(session.id, { events: [say('think')] })
    await vi.waitFor(async () => expect(slow.asked()).toHaveLength(1), { timeout: 5000 })
    const [, child] = await threadsOf(session.id)
    await vi.waitFor(async () => expect((await threadsOf(session.id))[1]?.status).toBe('running'))
    await expect(
      client.beta.sessions.threads.archive(child?.id ?? '', { session_id: session.id }),
    ).rejects.toThrow('interrupt the thread')
    await events.send(session.id, {
      events: [{ type: 'user.interrupt', session_thread_id: child?.id ?? '' }],
    })
    const first = await readUntil(stream, isTurnEnd)
    expect(textsOf(first).at(-1)).toBe('It was stopped.')
    const again = await events.stream(session.id)
    await events.send(session.id, { events: [say('again')] })
    await vi.waitFor(() => expect(slow.asked()).toHaveLength(2), { timeout: 5000 })
    await events.send(session.id, { events: [{ type: 'user.interrupt' }] })
    const second = await readUntil(again, isTurnEnd)
    expect(textsOf(second)).not.toContain('It was stopped.')
    await vi.waitFor(async () => {
      const statuses = (await threadsOf(session.id)).map(({ status }) => status)
      expect(statuses).toEqual(['idle', 'idle', 'idle'])
    })
    expect((await client.beta.sessions.retrieve(session.id)).status).toBe('idle')
  })

  test('all threads spend one budget', async () => {
    const worker = await makeWorker([
      { calls: [{ name: 'bash', input: { command: 'true' } }], outputTokens: 40_000 },
      { says: 'Done after more money.' },
    ])
    const { session } = await coordinate(
      [delegates(tell(worker.name, 'Spend.')), { says: 'Wait.' }, { says: 'All spent.' }],
      [worker.agent.id],
      { budget: { type: 'limit', max_list_cost: { amount: '50', currency: 'USD' } } },
    )
    const stopped = await sendAndRead(client, session.id, [say('spend')], isTurnEnd)
    expect(stopped.at(-1)).toMatchObject({ stop_reason: { type: 'budget_reached' } })
    expect(worker.asked()).toHaveLength(1)
    const stream = await client.beta.sessions.events.stream(session.id)
    await client.beta.sessions.update(session.id, {
      budget: { type: 'limit', max_list_cost: { amount: '5000', currency: 'USD' } },
    })
    expect(textsOf(await readUntil(stream, isTurnEnd)).at(-1)).toBe('All spent.')
    expect(worker.asked()).toHaveLength(2)
  })

  test('rosters are checked', async () => {
    const worker = await makeWorker([{ says: 'x' }])
    const make = (agents: unknown[]) =>
      client.beta.agents.create({
        name: freshName('Lead'),
        model: 'claude-opus-4-6',
        multiagent: { type: 'coordinator', agents: JSON.parse(JSON.stringify(agents)) },
      })
    const lead = await make([worker.agent.id, { type: 'self' }])
    expect(lead.multiagent).toMatchObject({
      agents: [
        { id: worker.agent.id, version: 1 },
        { id: lead.id, version: 1 },
      ],
    })
    await expect(make([])).rejects.toThrow()
    await expect(make([worker.agent.id, worker.agent.id])).rejects.toThrow('twice')
    await expect(make([lead.id])).rejects.toThrow('only one level')
    await expect(make(['agent_none'])).rejects.toThrow()
    await expect(make([{ type: 'advisor', model: 'm' }])).rejects.toThrow('advisors')
    const cleared = await client.beta.agents.update(lead.id, { version: 1, multiagent: null })
    expect(cleared.multiagent).toBeNull()
  })
})
