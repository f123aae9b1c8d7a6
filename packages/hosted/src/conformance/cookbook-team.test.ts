import { expect, test } from 'vitest'
import { z } from 'zod'
import { isTurnEnd, say, sendAndRead, textsOf } from './testing/follow.ts'
import { bash, call, pick, startRecipes } from './testing/start-recipes.ts'

// Recipes with memory, several agents and a judge.

const recipes = await startRecipes()
const { client, environment_id } = recipes

const ask = (sessionId: string, text: string) =>
  sendAndRead(client, sessionId, [say(text)], isTurnEnd)

test('preferences: learnt in one visit, known in the next, inspected, corrected, redacted', async () => {
  const { memoryStores } = client.beta
  const { memories, memoryVersions } = memoryStores
  const own = await memoryStores.create({
    name: 'Guest Preferences',
    description: 'What one guest likes.',
  })
  const shared = await memoryStores.create({ name: 'House Rules', description: 'For all guests.' })
  await memories.create(shared.id, { path: '/quiet.md', content: 'Quiet from ten.\n' })
  await memories.create(own.id, { path: '/visits.md', content: 'Stayed twice.\n' })
  const visit = async (...lines: Parameters<typeof recipes.makeAgent>[0]) => {
    const agent = await recipes.makeAgent(lines)
    const session = await client.beta.sessions.create({
      agent: agent.pinned,
      environment_id,
      resources: [
        {
          type: 'memory_store',
          memory_store_id: own.id,
          access: 'read_write',
          instructions: 'Look here first and write down what is new.',
        },
        { type: 'memory_store', memory_store_id: shared.id, access: 'read_only' },
      ],
    })
    return { agent, session, seen: await ask(session.id, 'Good evening.') }
  }
  const first = await visit(
    bash('cat /mnt/memory/guest-preferences/visits.md /mnt/memory/house-rules/quiet.md'),
    call('write', {
      file_path: '/mnt/memory/guest-preferences/room.md',
      content: 'Prefers the third floor. Card 4000 1234.\n',
    }),
    bash('echo "No rules." > /mnt/memory/house-rules/quiet.md'),
    { says: 'Welcome back.' },
  )
  expect(first.session.resources).toMatchObject([
    { mount_path: '/mnt/memory/guest-preferences', access: 'read_write' },
    { mount_path: '/mnt/memory/house-rules', access: 'read_only' },
  ])
  const told = JSON.stringify(first.agent.asked()[0]?.system)
  for (const text of ['What one guest likes.', 'Look here first', 'For all guests.'])
    expect(told).toContain(text)
  const results = pick(first.seen, 'agent.tool_result')
  expect(JSON.stringify(results[0])).toMatch(/Stayed twice.*Quiet from ten/)
  expect(results[2]?.is_error).toBe(true)

  const { data } = await memories.list(own.id, { view: 'full' })
  const room = data.find(({ path }) => path === '/room.md')
  if (room?.type !== 'memory') throw new Error('no memory')
  expect(room.content).toContain('third floor')
  const corrected = await memories.update(room.id, {
    memory_store_id: own.id,
    content: 'Prefers the second floor.\n',
    precondition: { type: 'content_sha256', content_sha256: room.content_sha256 },
  })
  await expect(
    memories.update(room.id, {
      memory_store_id: own.id,
      content: 'Late.',
      precondition: { type: 'content_sha256', content_sha256: room.content_sha256 },
    }),
  ).rejects.toMatchObject({ status: 409 })
  const second = await visit(bash('cat /mnt/memory/guest-preferences/room.md'), {
    says: 'The second floor is free.',
  })
  expect(JSON.stringify(second.seen)).toContain('Prefers the second floor.')

  const history = (await memoryVersions.list(own.id, { memory_id: room.id })).data
  expect(history.map(({ operation }) => operation)).toEqual(['modified', 'created'])
  expect(history[1]?.created_by).toMatchObject({
    type: 'session_actor',
    session_id: first.session.id,
  })
  await memoryVersions.redact(room.memory_version_id, { memory_store_id: own.id })
  const kept = await memoryVersions.list(own.id, { memory_id: room.id, view: 'full' })
  expect(JSON.stringify(kept.data)).not.toContain('4000 1234')
  expect(corrected.memory_version_id).toBe(kept.data[0]?.id)
  await memoryStores.delete(own.id)
  await expect(memoryStores.retrieve(own.id)).rejects.toMatchObject({ status: 404 })
})

test('specialist team: each has its own tools, and the coordinator assembles a document', async () => {
  const specialist = (name: string, command: string, report: string) =>
    recipes.makeAgent([bash(command), { says: report }], {
      name,
      description: `Knows about ${name}.`,
    })
  const archivist = await specialist('archivist', 'ls /mnt/user-data/stories', 'Use harbour.md.')
  const pricer = await specialist('pricer', 'cat /mnt/user-data/prices.md', 'It costs 40.')
  const reader = await recipes.makeAgent([{ says: 'They care about noise.' }], {
    name: 'reader',
    description: 'Reads the web.',
    tools: [
      {
        type: 'agent_toolset_20260401',
        default_config: { enabled: false },
        configs: [{ name: 'web_fetch', enabled: true }],
      },
    ],
  })
  const tell = (agent: string, message: string) => ({
    name: 'send_to_agent',
    input: { agent, message },
  })
  const team = [archivist, pricer, reader].map(({ id }) => id)
  const lead = await recipes.makeAgent(
    [
      { calls: [tell('reader', 'What do they need?'), tell('pricer', 'Price for 4 people.')] },
      { says: 'I wait for both.' },
      { calls: [tell('archivist', 'A story about noise.')] },
      { says: 'I wait for the story.' },
      call('write', {
        file_path: '/mnt/session/outputs/offer.md',
        content: '# Offer\nHarbour, 40.\n',
      }),
      { says: 'The offer is written.' },
    ],
    { multiagent: { type: 'coordinator', agents: team } },
  )
  const mount = async (mount_path: string, text: string) => ({
    type: 'file' as const,
    file_id: await recipes.upload('file.md', text),
    mount_path,
  })
  const session = await client.beta.sessions.create({
    agent: lead.pinned,
    environment_id,
    resources: [
      await mount('/mnt/user-data/stories/harbour.md', 'Quieter by half.\n'),
      await mount('/mnt/user-data/prices.md', '10 per person.\n'),
    ],
  })
  const seen = await ask(session.id, 'Write an offer.')
  const created = pick(seen, 'session.thread_created').map(({ agent_name }) => agent_name)
  expect(created.toSorted()).toEqual(['archivist', 'pricer', 'reader'])
  const logged = (await client.beta.sessions.events.list(session.id, { limit: 1000 })).data
  const reports = logged.filter(({ type }) => type === 'agent.thread_message_received')
  expect(reports).toHaveLength(3)
  for (const text of ['noise', '40', 'harbour']) expect(JSON.stringify(reports)).toContain(text)
  expect(JSON.stringify(reader.asked()[0]?.tools)).not.toContain('"bash"')
  expect(JSON.stringify(pricer.asked()[1]?.messages)).toContain('10 per person.')
  const written = logged.find((event) => event.type === 'agent.tool_use' && event.name === 'write')
  expect(JSON.stringify(written)).toContain('# Offer')
  const threads = (await client.beta.sessions.threads.list(session.id)).data
  expect(threads).toHaveLength(4)
  // The vendor's recipe adds an advisor, which this server refuses with a reason.
  await expect(
    recipes.makeAgent([], {
      multiagent: {
        type: 'coordinator',
        agents: [...team, { type: 'advisor', model: 'claude-opus-4-6' }],
      },
    }),
  ).rejects.toThrow('advisors')
})

const verdict = (satisfied: boolean, explanation: string) => ({
  says: JSON.stringify({ satisfied, explanation }),
})
const draft = (content: string) =>
  call('write', { file_path: '/mnt/session/outputs/brief.md', content })

test('outcome: a judge sends a draft back until it meets the rubric', async () => {
  const rubric = recipes.world.model.script(
    verdict(false, 'There is no source.'),
    verdict(true, 'The source is given.'),
  )
  const writer = await recipes.makeAgent([
    draft('Tides differ.'),
    { says: 'A first draft.' },
    draft('Tides differ [1].\n[1] Almanac'),
    { says: 'With a source.' },
  ])
  const session = await client.beta.sessions.create({ agent: writer.id, environment_id })
  const seen = await sendAndRead(
    client,
    session.id,
    [
      {
        type: 'user.define_outcome',
        description: 'A brief about tides with a source.',
        rubric: { type: 'text', content: rubric },
        max_iterations: 3,
      },
      say('Write a brief about tides.'),
    ],
    isTurnEnd,
  )
  expect(pick(seen, 'span.outcome_evaluation_start').map(({ iteration }) => iteration)).toEqual([
    0, 1,
  ])
  const ends = pick(seen, 'span.outcome_evaluation_end')
  expect(ends.map(({ result }) => result)).toEqual(['needs_revision', 'satisfied'])
  expect(ends[0]?.explanation).toBe('There is no source.')
  expect(JSON.stringify(writer.asked()[2]?.messages.at(-1))).toContain('There is no source.')
  const judged = recipes.world.model.askedBy(rubric).map(({ messages }) => JSON.stringify(messages))
  expect(judged).toHaveLength(2)
  expect(judged[1]).toContain('Almanac')
  const { outcome_evaluations } = await client.beta.sessions.retrieve(session.id)
  expect(outcome_evaluations).toMatchObject([{ result: 'satisfied', iteration: 1 }])
  const [file] = (await client.beta.files.list({ scope_id: session.id })).data
  expect(await (await client.files.download(file?.id ?? '')).text()).toContain('Almanac')
})

test('outcome: the rubric can be a file, and the attempts are limited', async () => {
  const rubric = recipes.world.model.script(verdict(false, 'Still missing.'))
  const writer = await recipes.makeAgent([{ says: 'One.' }, { says: 'Two.' }])
  const session = await client.beta.sessions.create({ agent: writer.id, environment_id })
  const seen = await sendAndRead(
    client,
    session.id,
    [
      {
        type: 'user.define_outcome',
        description: 'Three.',
        rubric: { type: 'file', file_id: await recipes.upload('rubric.md', rubric) },
        max_iterations: 2,
      },
      say('Count.'),
    ],
    isTurnEnd,
  )
  const ends = pick(seen, 'span.outcome_evaluation_end')
  expect(ends.map(({ result }) => result)).toEqual(['needs_revision', 'max_iterations_reached'])
  expect(textsOf(seen)).toEqual(['One.', 'Two.'])
})

test('verify before acting: a second agent checks a claim, and only a checked one is used', async () => {
  const writer = await recipes.makeAgent(
    [{ says: 'The bridge opened in 1890.' }, { says: 'The bridge opened in 1894.' }],
    { tools: [] },
  )
  const verifier = await recipes.makeAgent(
    [
      { says: JSON.stringify({ supported: false, note: 'The source says 1894.' }) },
      { says: JSON.stringify({ supported: true, note: '' }) },
    ],
    { tools: [] },
  )
  const receipt = z.object({ supported: z.boolean(), note: z.string() })
  const verify = async (claim: string) => {
    // Each check has its own session, so that it does not see earlier ones.
    const { id } = await client.beta.sessions.create({ agent: verifier.id, environment_id })
    const seen = await sendAndRead(client, id, [say(`${claim} Source: opened 1894.`)], isTurnEnd)
    await client.beta.sessions.archive(id)
    return receipt.parse(JSON.parse(textsOf(seen).join('')))
  }
  const session = await client.beta.sessions.create({ agent: writer.id, environment_id })
  const published: string[] = []
  let message = 'When did the bridge open?'
  while (published.length === 0) {
    const claim = textsOf(await sendAndRead(client, session.id, [say(message)], isTurnEnd)).join('')
    const { supported, note } = await verify(claim)
    if (supported) published.push(claim)
    message = `Not published. ${note}`
  }
  expect(published).toEqual(['The bridge opened in 1894.'])
  expect(JSON.stringify(writer.asked()[1]?.messages)).toContain('The source says 1894.')
  expect(verifier.asked().map(({ messages }) => messages.length)).toEqual([1, 1])
  // The vendor's recipe asks a model directly, which this server refuses with a reason.
  await expect(
    client.beta.messages.create({
      model: 'claude-opus-4-6',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'x' }],
    }),
  ).rejects.toThrow('send messages to the provider of the model itself')
})
