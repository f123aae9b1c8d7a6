import { expect, test } from 'vitest'
import { skillFiles } from '../skills/testing/skill-files.ts'
import { isTurnEnd, isWaiting, say, sendAndRead, textsOf } from './testing/follow.ts'
import {
  ALLOWED,
  bash,
  call,
  customTool,
  pick,
  pollUntilIdle,
  startRecipes,
  toolResult,
} from './testing/start-recipes.ts'

// Recipes in which a person or a program decides before the agent acts.

const recipes = await startRecipes()
const { client, environment_id } = recipes

/** Answers custom tools by polling until a tool without an answer is called, or the turn ends. */
const serveTools = async (
  sessionId: string,
  answers: Readonly<Record<string, (input: Record<string, unknown>) => string | Error>>,
) => {
  for (let seen = 0; ; ) {
    const { events, last } = await pollUntilIdle(client, sessionId, seen)
    seen = events.length
    if (last.stop_reason.type !== 'requires_action') return { events, waiting: undefined }
    for (const id of last.stop_reason.event_ids) {
      const asked = events.find((event) => event.id === id)
      if (asked?.type !== 'agent.custom_tool_use') throw new Error(`${asked?.type} waits`)
      const answer = answers[asked.name]?.(asked.input)
      if (answer === undefined) return { events, waiting: asked }
      const isError = answer instanceof Error
      await client.beta.sessions.events.send(sessionId, {
        events: [toolResult(id, isError ? answer.message : answer, isError)],
      })
    }
  }
}

test('expenses: clear cases are decided, the others go to a person, each exactly once', async () => {
  const amounts = [12, 30, 45, 480, 510, 70, 9]
  const file_id = await recipes.upload('receipts.txt', amounts.join('\n'))
  const agent = await recipes.makeAgent(
    [
      bash('cat /mnt/session/uploads/receipts.txt'),
      {
        calls: amounts.map((amount, index) =>
          amount > 400
            ? { name: 'escalate', input: { receipt: `r${index}`, question: `${amount}?` } }
            : { name: 'decide', input: { receipt: `r${index}`, action: 'approve' } },
        ),
      },
      { says: 'All receipts are handled.' },
    ],
    {
      tools: [
        ALLOWED,
        customTool('decide', 'receipt', 'action'),
        customTool('escalate', 'receipt', 'question'),
      ],
    },
  )
  const session = await client.beta.sessions.create({
    agent: agent.pinned,
    environment_id,
    resources: [{ type: 'file', file_id, mount_path: 'receipts.txt' }],
  })
  const { events } = client.beta.sessions
  const stream = await events.stream(session.id)
  await events.send(session.id, { events: [say('Handle the receipts.')] })
  const calls = new Map<string, { name: string; input: Record<string, unknown> }>()
  const answered = new Set<string>()
  const decisions: string[] = []
  for await (const event of stream) {
    if (event.type === 'agent.custom_tool_use') calls.set(event.id, event)
    if (event.type !== 'session.status_idle') continue
    if (event.stop_reason.type !== 'requires_action') break
    for (const id of event.stop_reason.event_ids) {
      const asked = calls.get(id)
      if (answered.has(id) || asked === undefined) continue
      answered.add(id)
      const decision = asked.name === 'decide' ? 'recorded' : 'a person rejected it'
      decisions.push(`${String(asked.input.receipt)}: ${decision}`)
      await events.send(session.id, { events: [toolResult(id, decision)] })
    }
  }
  expect(decisions).toHaveLength(7)
  expect(decisions.filter((line) => line.endsWith('rejected it'))).toEqual([
    'r3: a person rejected it',
    'r4: a person rejected it',
  ])
  expect(agent.asked()).toHaveLength(3)
  const heard = JSON.stringify(agent.asked()[2]?.messages.at(-1))
  expect(heard.match(/recorded/g)).toHaveLength(5)
  const [first = ''] = answered
  // A repeated answer, such as a retry, changes nothing; another answer comes too late.
  const repeated = await events.send(session.id, { events: [toolResult(first, 'recorded')] })
  expect(JSON.stringify(repeated.data)).toContain('"recorded"')
  await expect(
    events.send(session.id, { events: [toolResult(first, 'again')] }),
  ).rejects.toMatchObject({ status: 400 })
  expect(agent.asked()).toHaveLength(3)
  await client.beta.sessions.archive(session.id)
})

test('confirmation: a dangerous tool waits, is denied with a reason, and then allowed', async () => {
  const agent = await recipes.makeAgent(
    [
      bash('echo all > /workspace/removed.txt'),
      bash('echo one > /workspace/removed.txt'),
      call('read', { file_path: '/workspace/removed.txt' }),
      { says: 'Only one was removed.' },
    ],
    {
      tools: [
        { ...ALLOWED, configs: [{ name: 'bash', permission_policy: { type: 'always_ask' } }] },
      ],
    },
  )
  const session = await client.beta.sessions.create({ agent: agent.id, environment_id })
  const waiting = await sendAndRead(client, session.id, [say('Remove old files.')], isWaiting)
  const [first] = pick(waiting, 'agent.tool_use')
  expect(first).toMatchObject({ name: 'bash', evaluated_permission: 'ask' })
  const again = await sendAndRead(
    client,
    session.id,
    [
      {
        type: 'user.tool_confirmation',
        tool_use_id: first?.id ?? '',
        result: 'deny',
        deny_message: 'Remove a single file only.',
      },
    ],
    isWaiting,
  )
  expect(JSON.stringify(agent.asked()[1]?.messages.at(-1))).toContain('Remove a single file only.')
  const [second] = pick(again, 'agent.tool_use')
  const done = await sendAndRead(
    client,
    session.id,
    [{ type: 'user.tool_confirmation', tool_use_id: second?.id ?? '', result: 'allow' }],
    isTurnEnd,
  )
  const results = JSON.stringify(pick(done, 'agent.tool_result'))
  expect(results).toContain('one')
  expect(results).not.toContain('all')
  expect(textsOf(done)).toEqual(['Only one was removed.'])
})

test('incident: an alert starts a session with a runbook, and the fix waits for approval', async () => {
  const skill = await client.skills.create({
    display_name: 'runbooks',
    files: skillFiles('runbooks', 'How incidents are handled.'),
  })
  const agent = await recipes.makeAgent(
    [
      bash('cat /workspace/skills/runbooks/SKILL.md; grep -r full /mnt/session/uploads/logs'),
      bash(
        'cp /mnt/session/uploads/infra/disk.yaml old; sed s/10/40/ old > new; diff -u old new; true',
      ),
      call('open_change', { title: 'Bigger disk' }),
      call('request_approval', { summary: 'Disk 10 to 40' }),
      call('merge_change', { number: '1' }),
      { says: 'The change is merged.' },
    ],
    {
      skills: [{ type: 'custom', skill_id: skill.id, version: skill.latest_version_id }],
      tools: [
        {
          ...ALLOWED,
          configs: [
            { name: 'web_search', enabled: false },
            { name: 'web_fetch', enabled: false },
          ],
        },
        customTool('open_change', 'title'),
        customTool('request_approval', 'summary'),
        customTool('merge_change', 'number'),
      ],
    },
  )
  const mount = async (mount_path: string, text: string) => ({
    type: 'file' as const,
    file_id: await recipes.upload('file', text),
    mount_path,
  })
  const session = await client.beta.sessions.create({
    agent: agent.pinned,
    environment_id,
    title: '[orders] disk full',
    resources: [
      await mount('logs/orders.log', 'orders: the disk is full\n'),
      await mount('infra/disk.yaml', 'size: 10\n'),
    ],
  })
  const alert = { service: 'orders', title: 'disk full' }
  await client.beta.sessions.events.send(session.id, { events: [say(JSON.stringify(alert))] })
  const changes: string[] = []
  const forge = {
    open_change: ({ title }: Record<string, unknown>) => {
      changes.push(`opened ${String(title)}`)
      return JSON.stringify({ number: changes.length })
    },
    merge_change: ({ number }: Record<string, unknown>) => {
      changes.push(`merged ${String(number)}`)
      return JSON.stringify({ merged: true })
    },
  }
  const { events, waiting } = await serveTools(session.id, forge)
  expect(waiting).toMatchObject({ name: 'request_approval', input: { summary: 'Disk 10 to 40' } })
  expect(changes).toEqual(['opened Bigger disk'])
  expect(JSON.stringify(events)).toMatch(/the disk is full.*-size: 10.*\+size: 40/s)
  const [first] = agent.asked()
  expect(JSON.stringify(first?.system)).toContain('How incidents are handled.')
  expect(JSON.stringify(first?.tools)).not.toContain('web_')

  const before = events.length
  await client.beta.sessions.events.send(session.id, {
    events: [toolResult(waiting?.id ?? '', JSON.stringify({ decision: 'approved' }))],
  })
  await pollUntilIdle(client, session.id, before)
  const end = await serveTools(session.id, forge)
  expect(end.waiting).toBeUndefined()
  expect(changes).toEqual(['opened Bigger disk', 'merged 1'])
})

test('bug report: data comes through a read-only tool, and a ticket needs a person', async () => {
  const agent = await recipes.makeAgent(
    [
      {
        calls: [
          { name: 'query', input: { sql: 'DELETE FROM orders' } },
          { name: 'query', input: { sql: 'SELECT id FROM orders WHERE total < 0' } },
          { name: 'find_incidents', input: { words: 'negative total' } },
        ],
      },
      call('create_ticket', { report: 'Two orders have a negative total.' }),
      bash(
        'for i in 4 9; do echo "UPDATE orders SET total=0 WHERE id=$i;"; done > /mnt/session/outputs/repair.sql',
      ),
      { says: 'Filed, with a script for the repair.' },
    ],
    {
      tools: [
        ALLOWED,
        customTool('query', 'sql'),
        customTool('find_incidents', 'words'),
        customTool('create_ticket', 'report'),
      ],
    },
  )
  const session = await client.beta.sessions.create({ agent: agent.pinned, environment_id })
  await client.beta.sessions.events.send(session.id, { events: [say('Totals are negative.')] })
  const data = {
    query: ({ sql }: Record<string, unknown>) =>
      String(sql).startsWith('SELECT') ? '[4, 9]' : new Error('only SELECT is allowed'),
    find_incidents: () => '[]',
  }
  const { events, waiting } = await serveTools(session.id, data)
  expect(waiting?.name).toBe('create_ticket')
  const heard = JSON.stringify(agent.asked()[1]?.messages.at(-1))
  expect(heard).toMatch(/only SELECT is allowed.*"is_error":true/)
  await client.beta.sessions.events.send(session.id, {
    events: [toolResult(waiting?.id ?? '', 'filed as 12')],
  })
  const { last } = await pollUntilIdle(client, session.id, events.length)
  expect(last.stop_reason.type).toBe('end_turn')
  const [file] = (await client.beta.files.list({ scope_id: session.id })).data
  const text = await (await client.files.download(file?.id ?? '')).text()
  expect(text.trim().split('\n')).toHaveLength(2)
})
