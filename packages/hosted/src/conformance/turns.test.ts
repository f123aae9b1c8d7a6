import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { locateSession } from '../hands/sandbox/place.ts'
import { CLIENT_VERSIONS } from './testing/client-versions.ts'
import {
  isTurnEnd,
  isWaiting,
  makeScripted,
  readUntil,
  type Streamed,
  say,
  sendAndRead,
  textsOf,
} from './testing/follow.ts'
import { connect, startWorld, type World } from './testing/start-world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => {
  expect(world.failures).toEqual([])
  await world.stop()
})

const typesOf = (events: readonly Streamed[]): string[] => events.map(({ type }) => type)
const pick = <T extends Streamed['type']>(events: readonly Streamed[], type: T) =>
  events.filter((event): event is Extract<Streamed, { type: T }> => event.type === type)
const lookup = {
  type: 'custom' as const,
  name: 'lookup',
  description: 'Looks a word up.',
  input_schema: { type: 'object' as const, properties: { word: { type: 'string' } } },
}
const callLookup = (word: string) => ({ name: 'lookup', input: { word } })

describe.each(CLIENT_VERSIONS)('client $version', (version) => {
  let client: Anthropic
  let faults: string[]
  beforeAll(async () => {
    const connected = await connect(world, version)
    client = connected.client
    faults = connected.faults
  })
  afterAll(() => expect(faults).toEqual([]))

  test('a turn, with previews for clients that support them, under the same id everywhere', async () => {
    const { session } = await makeScripted(world, client, [{ says: 'Good morning to you.' }])
    const seen = await sendAndRead(client, session.id, [say('hello')], isTurnEnd, {
      event_deltas: ['agent.message'],
    })
    const stored = seen.filter(({ type }) => !type.startsWith('event_'))
    expect(typesOf(stored)).toEqual([
      'user.message',
      'session.status_running',
      'span.model_request_start',
      'agent.message',
      'span.model_request_end',
      'session.status_idle',
    ])
    expect(textsOf(seen)).toEqual(['Good morning to you.'])
    const { data } = await client.beta.sessions.events.list(session.id)
    // Only the first event differs, because the message was processed meanwhile.
    expect(data.slice(1)).toEqual(stored.slice(1))
    expect(data[0]).toMatchObject({ ...stored[0], processed_at: expect.any(String) })
    const { accumulate } = version
    if (accumulate === undefined) {
      expect(stored).toEqual(seen)
      return
    }
    const texts: string[] = []
    let message: ReturnType<typeof accumulate>
    for (const event of seen) {
      message = accumulate(message, event)
      texts.push(...(message?.content ?? []).flatMap((each) => ('text' in each ? each.text : [])))
    }
    expect(message).toEqual(seen.find(({ type }) => type === 'agent.message'))
    const growing = [...new Set(texts)]
    expect(growing.length).toBeGreaterThan(1)
    for (const text of growing) expect('Good morning to you.'.startsWith(text)).toBe(true)
  })

  test('the other path of the stream shows the same', async () => {
    const { session } = await makeScripted(world, client, [{ says: 'Yes.' }])
    const other: AsyncIterable<Streamed> = await client.get(`/v1/sessions/${session.id}/stream`, {
      stream: true,
      headers: { 'anthropic-beta': 'managed-agents-2026-04-01' },
    })
    const seen = await sendAndRead(client, session.id, [say('same?')], isTurnEnd)
    expect(await readUntil(other, isTurnEnd)).toEqual(seen)
  })

  test('first events and overrides are part of the session', async () => {
    const given = [{ type: 'user.message' as const, content: [text('from the start')] }]
    const system = world.model.script({ says: 'Overridden.' })
    const { agent, environment } = await makeScripted(world, client, [{ says: 'Never.' }])
    const made = await client.beta.sessions.create({
      agent: { type: 'agent_with_overrides', id: agent.id, system },
      environment_id: environment.id,
      initial_events: given,
    })
    expect(made.agent).toMatchObject({ id: agent.id, system })
    await vi.waitFor(async () => {
      const { data } = await client.beta.sessions.events.list(made.id)
      expect(textsOf(data)).toEqual(['Overridden.'])
    }, WAIT)
  })

  test('tools that need confirmation: one allowed, one denied', async () => {
    const { session, asked } = await makeScripted(
      world,
      client,
      [
        {
          calls: [
            { name: 'bash', input: { command: 'echo it ran' } },
            { name: 'bash', input: { command: 'echo it must not run' } },
          ],
        },
        { says: 'Done.' },
      ],
      {
        tools: [
          {
            type: 'agent_toolset_20260401',
            default_config: { permission_policy: { type: 'always_ask' } },
          },
        ],
      },
    )
    const first = await sendAndRead(client, session.id, [say('do both')], isWaiting)
    const [one, two] = pick(first, 'agent.tool_use')
    if (one === undefined || two === undefined) throw new Error('no calls')
    expect(one.evaluated_permission).toBe('ask')
    expect(first.at(-1)).toMatchObject({ stop_reason: { event_ids: [one.id, two.id] } })
    const denied = await sendAndRead(
      client,
      session.id,
      [
        {
          type: 'user.tool_confirmation',
          tool_use_id: two.id,
          result: 'deny',
          deny_message: 'not today',
        },
      ],
      isWaiting,
    )
    expect(denied.at(-1)).toMatchObject({ stop_reason: { event_ids: [one.id] } })
    const rest = await sendAndRead(
      client,
      session.id,
      [{ type: 'user.tool_confirmation', tool_use_id: one.id, result: 'allow' }],
      isTurnEnd,
    )
    expect(textsOf(rest)).toEqual(['Done.'])
    const results = pick([...denied, ...rest], 'agent.tool_result')
    expect(results).toHaveLength(2)
    expect(results.find(({ tool_use_id }) => tool_use_id === one.id)).toMatchObject({
      is_error: false,
      content: [{ text: expect.stringContaining('it ran') }],
    })
    expect(results.find(({ tool_use_id }) => tool_use_id === two.id)).toMatchObject({
      is_error: true,
      content: [{ text: expect.stringContaining('not today') }],
    })
    // The model gets both results at once, in the order of its calls.
    expect(asked().at(-1)?.messages.at(-1)).toMatchObject({
      content: [{ tool_use_id: 'toolu_0_0' }, { tool_use_id: 'toolu_0_1' }],
    })
  })

  test('custom tools: answered by the client, in part and then in full', async () => {
    const { session, asked } = await makeScripted(
      world,
      client,
      [{ calls: [callLookup('one'), callLookup('two')] }, { says: 'Both known.' }],
      { tools: [lookup] },
    )
    const first = await sendAndRead(client, session.id, [say('look')], isWaiting)
    const [one, two] = pick(first, 'agent.custom_tool_use')
    if (one === undefined || two === undefined) throw new Error('no calls')
    expect(one).toMatchObject({ name: 'lookup', input: { word: 'one' } })
    const result = (id: string, said: string) => ({
      type: 'user.custom_tool_result' as const,
      custom_tool_use_id: id,
      content: [text(said)],
    })
    const part = await sendAndRead(client, session.id, [result(one.id, 'first')], isWaiting)
    expect(part.at(-1)).toMatchObject({ stop_reason: { event_ids: [two.id] } })
    const rest = await sendAndRead(client, session.id, [result(two.id, 'second')], isTurnEnd)
    expect(textsOf(rest)).toEqual(['Both known.'])
    expect(JSON.stringify(asked().at(-1)?.messages.at(-1))).toMatch(/first.*second/)
  })

  test('an interrupt during a model answer', async () => {
    const { session } = await makeScripted(world, client, [
      { begins: 'I was about to say ' },
      { says: 'Listening.' },
    ])
    const { events } = client.beta.sessions
    const stream = await events.stream(session.id, { event_deltas: ['agent.message'] })
    await events.send(session.id, { events: [say('talk')] })
    const speaks = (event: Streamed): boolean =>
      event.type === (version.accumulate ? 'event_delta' : 'span.model_request_start')
    const reading = stream[Symbol.asyncIterator]()
    await readUntil({ [Symbol.asyncIterator]: () => onward(reading) }, speaks)
    await events.send(session.id, { events: [{ type: 'user.interrupt' }] })
    const seen = await readUntil({ [Symbol.asyncIterator]: () => onward(reading) }, isTurnEnd)
    expect(seen.at(-1)).toMatchObject({ stop_reason: { type: 'end_turn' } })
    expect(pick(seen, 'span.model_request_end')).toMatchObject([{ is_error: true }])
    expect(textsOf(seen)).toEqual([])
    const next = await sendAndRead(client, session.id, [say('and now?')], isTurnEnd)
    expect(textsOf(next)).toEqual(['Listening.'])
  })

  test('an interrupt during a tool call', async () => {
    const { session, asked } = await makeScripted(
      world,
      client,
      [
        { calls: [{ name: 'bash', input: { command: 'touch begun; sleep 1000' } }] },
        { says: 'Stopped.' },
      ],
      { tools: [{ type: 'agent_toolset_20260401' }] },
    )
    const begun = await sendAndRead(
      client,
      session.id,
      [say('wait')],
      ({ type }) => type === 'span.model_request_end',
    )
    const file = join(locateSession(join(world.folder, 'home'), session.id), 'workspace', 'begun')
    await vi.waitFor(() => access(file), WAIT)
    const seen = await sendAndRead(client, session.id, [{ type: 'user.interrupt' }], isTurnEnd)
    expect(pick(seen, 'agent.tool_result')).toMatchObject([
      { tool_use_id: pick(begun, 'agent.tool_use')[0]?.id, is_error: true },
    ])
    expect(asked()).toHaveLength(1)
    const next = await sendAndRead(client, session.id, [say('and now?')], isTurnEnd)
    expect(textsOf(next)).toEqual(['Stopped.'])
  })

  test('messages sent while the agent is busy wait in order, once', async () => {
    let open: () => void = () => undefined
    const after = new Promise<void>((resolve) => {
      open = resolve
    })
    const { session, asked } = await makeScripted(world, client, [
      { says: 'First.', after },
      { says: 'Then the rest.' },
    ])
    const { events } = client.beta.sessions
    const stream = await events.stream(session.id)
    await events.send(session.id, { events: [say('one')] })
    await vi.waitFor(() => expect(asked()).toHaveLength(1), WAIT)
    await events.send(session.id, { events: [say('two'), say('three')] })
    await events.send(session.id, { events: [say('four')] })
    const waiting = await events.list(session.id, { types: ['user.message'] })
    expect(waiting.data.map(({ processed_at }) => processed_at !== null)).toEqual([
      true,
      false,
      false,
      false,
    ])
    open()
    const seen = await readUntil(stream, isTurnEnd)
    expect(textsOf(seen)).toEqual(['First.', 'Then the rest.'])
    const said = JSON.stringify(asked().at(-1)?.messages)
    expect(said.match(/one|First\.|two|three|four/g)).toEqual([
      'one',
      'First.',
      'two',
      'three',
      'four',
    ])
  })

  test('a budget stops the session, and a higher one continues it', async () => {
    const limit = (amount: string) => ({
      type: 'limit' as const,
      max_list_cost: { amount, currency: 'USD' as const },
    })
    const { session } = await makeScripted(
      world,
      client,
      [{ calls: [callLookup('dear')], outputTokens: 100_000 }, { says: 'Worth it.' }],
      { tools: [lookup], session: { budget: limit('100') } },
    )
    const first = await sendAndRead(client, session.id, [say('spend')], isWaiting)
    const [call] = pick(first, 'agent.custom_tool_use')
    const stopped = await sendAndRead(
      client,
      session.id,
      [{ type: 'user.custom_tool_result', custom_tool_use_id: call?.id ?? '' }],
      isTurnEnd,
    )
    expect(stopped.at(-1)).toMatchObject({ stop_reason: { type: 'budget_reached' } })
    const { sessions } = client.beta
    const refused = sessions.events.send(session.id, { events: [say('more')] })
    await expect(refused).rejects.toBeInstanceOf(version.errors.BadRequestError)
    const low = sessions.update(session.id, { budget: limit('200') })
    await expect(low).rejects.toBeInstanceOf(version.errors.BadRequestError)
    const stream = await sessions.events.stream(session.id)
    await sessions.update(session.id, { budget: limit('10000') })
    expect(textsOf(await readUntil(stream, isTurnEnd))).toEqual(['Worth it.'])
    const { usage } = await sessions.retrieve(session.id)
    expect(Number(usage.list_cost?.amount)).toBeGreaterThan(200)
  })

  test('a rejected model call ends the turn, not the session', async () => {
    const { session } = await makeScripted(world, client, [{ fails: 400 }, { says: 'Better.' }])
    const seen = await sendAndRead(client, session.id, [say('try')], isTurnEnd)
    expect(pick(seen, 'session.error')).toMatchObject([
      { error: { type: 'model_request_failed_error' } },
    ])
    const next = await sendAndRead(client, session.id, [say('again')], isTurnEnd)
    expect(textsOf(next)).toEqual(['Better.'])
  })

  test('the end of a session ends its streams', async () => {
    const { session } = await makeScripted(world, client, [])
    const stream = await client.beta.sessions.events.stream(session.id)
    await client.beta.sessions.delete(session.id)
    const seen: string[] = []
    for await (const event of stream) seen.push(event.type)
    expect(seen).toEqual(['session.deleted'])
  })
})

/** Long enough for a loaded machine. */
const WAIT = { timeout: 20_000, interval: 20 }

const text = (said: string) => ({ type: 'text' as const, text: said })

/** Continues a started stream: leaving a loop must not close it. */
const onward = <T>(reading: AsyncIterator<T>): AsyncIterator<T> => ({ next: () => reading.next() })
