import { expect, test } from 'vitest'
import { isTurnEnd, say, sendAndRead, textsOf } from './testing/follow.ts'
import { bash, call, pick, pollUntilIdle, startRecipes } from './testing/start-recipes.ts'

// Recipes in which an agent works on program code.

const recipes = await startRecipes()
const { client, environment_id } = recipes

const ask = (sessionId: string, text: string) =>
  sendAndRead(client, sessionId, [say(text)], isTurnEnd)
const resultsOf = (events: Awaited<ReturnType<typeof ask>>) =>
  pick(events, 'agent.tool_result').map(({ content, is_error }) => ({
    text: JSON.stringify(content),
    is_error,
  }))

test('fix failing tests: read the failure, edit, repeat, and verify in a second turn', async () => {
  const files = {
    'area.sh': 'area() { echo $(($1 + $2)); }\nhalf() { echo $(($1 / 3)); }\n',
    'check.sh':
      '. ./area.sh\n[ "$(area 3 4)" = 12 ] || { echo "area 3 4"; exit 1; }\n' +
      '[ "$(half 8)" = 4 ] || { echo "half 8"; exit 1; }\necho all good\n',
  }
  const resources = await Promise.all(
    Object.entries(files).map(async ([mount_path, text]) => ({
      type: 'file' as const,
      file_id: await recipes.upload(mount_path, text),
      mount_path,
    })),
  )
  const environment = await client.beta.environments.create({
    name: 'tests',
    config: { type: 'cloud', networking: { type: 'limited' } },
  })
  const change = (old_string: string, new_string: string) =>
    call('edit', { file_path: '/workspace/area.sh', old_string, new_string })
  const agent = await recipes.makeAgent([
    bash('cp /mnt/session/uploads/*.sh . && sh check.sh'),
    change('$1 + $2', '$1 * $2'),
    bash('sh check.sh'),
    change('$1 / 3', '$1 / 2'),
    bash('sh check.sh && cp area.sh /mnt/session/outputs/'),
    { says: 'Every check passes.' },
    bash('sh check.sh && cat /mnt/session/outputs/area.sh'),
    { says: 'Confirmed.' },
  ])
  const session = await client.beta.sessions.create({
    agent: agent.pinned,
    environment_id: environment.id,
    resources,
    title: 'Make the checks pass',
  })
  expect(session.resources.map((each) => 'mount_path' in each && each.mount_path)).toEqual([
    '/mnt/session/uploads/area.sh',
    '/mnt/session/uploads/check.sh',
  ])
  const fixing = await ask(session.id, 'The checks fail. Fix area.sh.')
  expect(fixing.at(-1)).toMatchObject({ stop_reason: { type: 'end_turn' } })
  const results = resultsOf(fixing)
  expect(results.map(({ is_error }) => is_error)).toEqual([true, false, true, false, false])
  expect(results[0]?.text).toContain('area 3 4')
  expect(results[2]?.text).toContain('half 8')
  expect(results[4]?.text).toContain('all good')

  // The second turn is read by polling instead of a stream.
  const before = (await client.beta.sessions.events.list(session.id, { limit: 1000 })).data.length
  await client.beta.sessions.events.send(session.id, { events: [say('Check once more.')] })
  const { events, last } = await pollUntilIdle(client, session.id, before)
  expect(last.stop_reason.type).toBe('end_turn')
  const verified = events.slice(before).filter(({ type }) => type === 'agent.tool_result')
  expect(JSON.stringify(verified)).toMatch(/all good.*\$1 \* \$2/)
  const [output] = (await client.beta.files.list({ scope_id: session.id })).data
  expect(output).toMatchObject({ filename: 'area.sh', downloadable: true })
  const content = await client.files.download(output?.id ?? '')
  expect(await content.text()).toBe('area() { echo $(($1 * $2)); }\nhalf() { echo $(($1 / 2)); }\n')

  expect((await client.beta.sessions.retrieve(session.id)).status).toBe('idle')
  for (const archived of [
    await client.beta.sessions.archive(session.id),
    await client.beta.environments.archive(environment.id),
    await client.beta.agents.archive(agent.id),
  ])
    expect(archived.archived_at).not.toBeNull()
  await expect(
    client.beta.sessions.events.send(session.id, { events: [say('more')] }),
  ).rejects.toMatchObject({ status: 409 })
})

/** A forge as a program: it keeps its state in a folder and has checks and a reviewer. */
const FORGE = `#!/bin/sh
mkdir -p .forge
case "$1" in
  issue) cat issue.txt ;;
  open) echo open > .forge/state; echo "change 7 is open" ;;
  checks) sh test.sh && echo green > .forge/checks ;;
  review) grep -q '^#' greet.sh && echo approved > .forge/review || { echo "please explain greet.sh"; exit 1; } ;;
  merge) [ "$(cat .forge/checks .forge/review | tr '\\n' ' ')" = "green approved " ] && echo merged > .forge/state ;;
esac
`

test('issue to merged change: failing checks and a review are handled on the way', async () => {
  const file_id = await recipes.uploadFolder({
    forge: FORGE,
    'issue.txt': 'Issue 7: the greeting ignores names in capitals.\n',
    'greet.sh': 'greet() { [ "$1" = ada ] && echo "Hello Ada"; }\n',
    'test.sh':
      '. ./greet.sh\nfor n in ada ADA Ada; do greet $n | grep -q "Hello Ada" || { echo "failed for $n"; exit 1; }; done\n',
  })
  const replace = (old_string: string, new_string: string) =>
    call('edit', { file_path: '/workspace/greet.sh', old_string, new_string })
  const agent = await recipes.makeAgent([
    bash('tar -xzf /mnt/session/uploads/project.tar.gz && ./forge issue'),
    replace('[ "$1" = ada ]', 'case $1 in ada | ADA) true ;; *) false ;; esac'),
    bash('./forge open && ./forge checks'),
    replace('ada | ADA', '[aA][dD][aA]'),
    bash('./forge checks && ./forge review'),
    bash('sed -i "1i # Names match in any case." greet.sh && ./forge review && ./forge merge'),
    { says: 'Change 7 is merged.' },
    bash('cat .forge/*'),
    { says: 'All states are shown.' },
  ])
  const session = await client.beta.sessions.create({
    agent: agent.pinned,
    environment_id,
    resources: [{ type: 'file', file_id, mount_path: 'project.tar.gz' }],
  })
  const results = resultsOf(await ask(session.id, 'Resolve issue 7 until it is merged.'))
  expect(results.map(({ is_error }) => is_error)).toEqual([false, false, true, false, true, false])
  expect(results[0]?.text).toContain('Issue 7')
  expect(results[2]?.text).toContain('failed for Ada')
  expect(results[4]?.text).toContain('please explain')
  const [state] = resultsOf(await ask(session.id, 'Show the state of the change.'))
  expect(state?.text).toContain(String.raw`green\napproved\nmerged`)
})

test('unknown code: an agent that can only read finds a stale document, and gets a hint', async () => {
  const file_id = await recipes.upload('LAYOUT.md', 'Everything is in one file, app.sh.\n')
  const code = await recipes.upload('send.sh', '# part of the service mail\n')
  const agent = await recipes.makeAgent(
    [
      {
        calls: [
          { name: 'glob', input: { pattern: '**/*', path: '/mnt/session/uploads' } },
          { name: 'grep', input: { pattern: 'service', path: '/mnt/session/uploads' } },
          { name: 'read', input: { file_path: '/mnt/session/uploads/code/LAYOUT.md' } },
        ],
      },
      { says: 'LAYOUT.md is stale: there are services.' },
      call('read', { file_path: '/mnt/session/uploads/HISTORY.md' }),
      { says: 'The history agrees.' },
      { says: 'Three services.' },
    ],
    {
      tools: [
        {
          type: 'agent_toolset_20260401',
          default_config: { enabled: false },
          configs: [
            { name: 'read', enabled: true },
            { name: 'glob', enabled: true },
            { name: 'grep', enabled: true },
          ],
        },
      ],
    },
  )
  const session = await client.beta.sessions.create({
    agent: agent.pinned,
    environment_id,
    resources: [
      { type: 'file', file_id, mount_path: 'code/LAYOUT.md' },
      { type: 'file', file_id: code, mount_path: 'code/services/mail/send.sh' },
    ],
  })
  const explored = await ask(session.id, 'How is this code organised?')
  const [found, matched, read] = resultsOf(explored)
  expect(found?.text).toContain('services/mail/send.sh')
  expect(matched?.text).toContain('service mail')
  expect(read?.text).toContain('one file')
  expect(textsOf(explored)).toEqual(['LAYOUT.md is stale: there are services.'])
  const tools = agent.asked()[0]?.tools
  expect(JSON.stringify(tools)).not.toMatch(/"name":"(bash|write|edit)"/)

  const session_id = session.id
  const added = await client.beta.sessions.resources.add(session_id, {
    type: 'file',
    file_id: await recipes.upload('HISTORY.md', 'In March the file was split into services.\n'),
    mount_path: 'HISTORY.md',
  })
  expect((await client.beta.sessions.resources.list(session_id)).data).toHaveLength(3)
  const [history] = resultsOf(await ask(session_id, 'Read HISTORY.md as well.'))
  expect(history).toMatchObject({ text: expect.stringContaining('split'), is_error: false })
  await client.beta.sessions.resources.delete(added.id, { session_id })
  expect((await client.beta.sessions.resources.list(session_id)).data).toHaveLength(2)
  expect(textsOf(await ask(session_id, 'Sum it up.'))).toEqual(['Three services.'])
  // The model is told about the files that are mounted now.
  const told = agent.asked().map(({ system }) => JSON.stringify(system).includes('HISTORY.md'))
  expect(told).toEqual([false, false, true, true, false])
})
