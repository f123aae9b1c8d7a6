import type Anthropic from '@anthropic-ai/sdk'
import { BadRequestError, NotFoundError } from '@anthropic-ai/sdk'
import { listableEvent } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { makeSession, say, writeAs } from './testing/make-session.ts'

let server: TestApi
let events: Anthropic.Beta.Sessions.Events
beforeAll(async () => {
  server = await startTestApi()
  events = server.client.beta.sessions.events
})
afterAll(() => server.stop())

type Sent = Anthropic.Beta.Sessions.BetaManagedAgentsEventParams
const send = (id: string, ...sent: Sent[]) => events.send(id, { events: sent })

test('return with ids, in order, and are listed the same', async () => {
  const { id } = await makeSession(server)
  const echo = await send(id, say('one'), say('two'), { type: 'user.interrupt' })
  const data = echo.data ?? []
  expect(data.map(({ type }) => type)).toEqual(['user.message', 'user.message', 'user.interrupt'])
  const listed = (await events.list(id)).data
  expect(listed).toEqual(data)
  for (const event of listed) listableEvent.parse(event)
})

test('are accepted all or none', async () => {
  const { id } = await makeSession(server)
  const wrong = { type: 'user.custom_tool_result' as const, custom_tool_use_id: 'sevt_none' }
  await expect(send(id, say('one'), wrong)).rejects.toBeInstanceOf(BadRequestError)
  expect((await events.list(id)).data).toEqual([])
})

test('results and confirmations are stored once, however often they are sent', async () => {
  const { id } = await makeSession(server, {}, { type: 'self_hosted' })
  const [asked, custom] = await writeAs(
    server,
    id,
    {
      type: 'agent.tool_use',
      body: { name: 'bash', input: {}, evaluated_permission: 'ask' },
    },
    { type: 'agent.custom_tool_use', body: { name: 'ask', input: {} } },
  )
  const replies: Sent[] = [
    { type: 'user.tool_confirmation', tool_use_id: asked?.id ?? '', result: 'allow' },
    { type: 'user.tool_result', tool_use_id: asked?.id ?? '', content: [] },
    { type: 'user.custom_tool_result', custom_tool_use_id: custom?.id ?? '' },
  ]
  const first = await send(id, ...replies)
  const second = await send(id, ...replies)
  expect(second.data).toEqual(first.data)
  // A person or a program that decides differently learns that it comes too late.
  const tool_use_id = asked?.id ?? ''
  for (const late of [
    { type: 'user.tool_confirmation' as const, tool_use_id, result: 'deny' as const },
    {
      type: 'user.custom_tool_result' as const,
      custom_tool_use_id: custom?.id ?? '',
      content: [{ type: 'text' as const, text: 'other' }],
    },
  ])
    await expect(send(id, late)).rejects.toThrow('the call was answered before, and differently')
  const { data } = await events.list(id, { types: ['user.tool_result', 'user.custom_tool_result'] })
  expect(data).toHaveLength(2)
  expect(data.every(({ processed_at }) => processed_at !== null)).toBe(true)
})

test('a reply must answer a waiting call', async () => {
  const { id } = await makeSession(server)
  const [allowed] = await writeAs(server, id, {
    type: 'agent.tool_use',
    body: { name: 'bash', input: {}, evaluated_permission: 'allow' },
  })
  const tool_use_id = allowed?.id ?? ''
  const refused = [
    { type: 'user.tool_confirmation' as const, tool_use_id, result: 'allow' as const },
    { type: 'user.custom_tool_result' as const, custom_tool_use_id: tool_use_id },
    { type: 'user.tool_result' as const, tool_use_id },
    { type: 'user.interrupt' as const, session_thread_id: 'sthr_other' },
    {
      type: 'user.define_outcome' as const,
      description: 'd',
      rubric: { type: 'file' as const, file_id: 'file_none' },
    },
    { type: 'system.message' as const, content: [{ type: 'text' as const, text: 'alone' }] },
  ]
  for (const event of refused) await expect(send(id, event)).rejects.toBeInstanceOf(BadRequestError)
  await expect(send('sesn_none', say('x'))).rejects.toBeInstanceOf(NotFoundError)
})

test('lists filter by type, time and order, and hide internal marks', async () => {
  const { id } = await makeSession(server)
  const begin = server.clock.nowMs
  for (let count = 0; count < 5; count++) {
    server.clock.nowMs = begin + count
    await writeAs(
      server,
      id,
      { type: 'agent.message', body: { content: [] } },
      {
        type: 'brain.mark',
        listed: false,
      },
    )
  }
  await writeAs(server, id, { type: 'agent.thinking' })
  const messages = await events.list(id, { types: ['agent.message'], limit: 2, order: 'desc' })
  expect(messages.data.map(({ processed_at }) => Date.parse(processed_at ?? '') - begin)).toEqual([
    4, 3,
  ])
  const wrong = events.list(id, { order: 'asc', page: messages.next_page ?? '' })
  await expect(wrong).rejects.toBeInstanceOf(BadRequestError)
  const all: string[] = []
  for await (const event of events.list(id, { limit: 2 })) all.push(event.type)
  expect(all).toHaveLength(6)
  const late = await events.list(id, { 'created_at[gt]': new Date(begin + 3).toISOString() })
  expect(late.data).toHaveLength(2)
  expect((await events.list(id, { limit: 1000 })).data).toHaveLength(6)
  expect(server.failures).toEqual([])
})
