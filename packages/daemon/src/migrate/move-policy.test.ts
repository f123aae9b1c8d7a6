import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryHome } from '@steward/platform/testing'
import { judgeCommand, openPolicy } from '@steward/policy'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { movePolicy, POLICY } from './move-policy.ts'

let folder: ReturnType<typeof createTemporaryHome>
beforeEach(() => {
  folder = createTemporaryHome()
})
afterEach(() => folder.remove())

const HARNESS = '/home/u/.claude'
const ROOT = '/home/u/.claude/PAI'
const HOME = '/home/u/.steward'

/** The policy after the move, and what the report says about it. */
const move = (text: string) => {
  const user = join(folder.path, 'USER')
  mkdirSync(join(user, 'SECURITY'), { recursive: true })
  writeFileSync(join(user, 'SECURITY', 'PATTERNS.yaml'), text)
  const plan = movePolicy({ user, root: ROOT, harness: HARNESS, home: HOME })
  const [write] = plan.writes
  return { ...plan, to: write?.to, content: String(write?.content ?? '') }
}

const THEIRS = `# Rules of the tea house.
version: "2"
bash:
  trusted:
    - { pattern: ^kettle status, reason: only reads }
  blocked:
    - { pattern: ^kettle drain, reason: empties the kettle }
    - { pattern: teapot.*--smash, reason: breaks it }
  confirm:
    - { pattern: ^order tea, reason: costs money }
  alert:
    - { pattern: ^brew, reason: logged }
paths:
  zeroAccess: [~/safe/**, "**/recipe-secret*.txt"]
  alertAccess: ["\${HARNESS_HOME}/diary.txt"]
  confirmAccess: ["\${HARNESS_HOME}/guests.json"]
  readOnly: [/srv/menu/**, "\${PAI_DIR}/USER/menu.yaml"]
  confirmWrite: ["\${HOME}/prices.txt"]
  noDelete: ["\${HARNESS_HOME}/cups/**", "\${PAI_DIR}/**", "\${ELSEWHERE}/x"]
`

const ORDER = ['pass', 'alert', 'ask', 'deny']

// What LifeOS does with each, by the order of its sections and tiers.
it.each([
  ['kettle drain', 'deny'],
  ['kettle status; kettle drain', 'deny'],
  ['teapot assam --smash', 'deny'],
  ['order tea', 'ask'],
  ['brew assam', 'alert'],
  ['cat ~/safe/key', 'deny'],
  ['cat /srv/recipe-secret-1.txt', 'deny'],
  ['cat ~/.claude/diary.txt', 'alert'],
  ['cat ~/.claude/guests.json', 'ask'],
  ['echo x > /srv/menu/today', 'deny'],
  ['echo x >> ~/.claude/PAI/USER/menu.yaml', 'deny'],
  ['echo x > ~/prices.txt', 'ask'],
  ['rm ~/.claude/cups/blue', 'deny'],
  ['rm ~/.claude/PAI/MEMORY/notes.md', 'deny'],
  ['rm ~/.steward/MEMORY/notes.md', 'deny'],
])('%s is not treated more leniently than before: at least %s', (command, least) => {
  const opened = openPolicy({ text: move(THEIRS).content, home: '/home/u', dataHome: HOME })
  if (!opened.ok) throw opened.error
  const { verdict } = judgeCommand(command, opened.value, { cwd: '/home/u/project' })
  expect(ORDER.indexOf(verdict)).toBeGreaterThanOrEqual(ORDER.indexOf(least))
})

it('converts variables in paths, keeps comments, and names those that it does not know', () => {
  const { items, content, to } = move(THEIRS)
  expect(to).toBe(POLICY)
  expect(content).toContain('# Rules of the tea house.')
  expect(content).not.toContain('PAI_DIR')
  expect(items).toEqual([
    { part: 'policy', from: POLICY, to: POLICY, outcome: 'converted' },
    {
      part: 'policy',
      from: `${POLICY}: paths.noDelete`,
      outcome: 'left',
      note: expect.stringContaining('ELSEWHERE'),
    },
  ])
})

it('leaves out and reports sections that Steward lacks, so that the rest is in force', () => {
  const { items, content } = move(`version: 4
bash:
  blocked: [{ pattern: ^shutdown, reason: not at night }]
  slow: []
paths: { attic: [] }
mood: calm
`)
  const opened = openPolicy({ text: content, home: '/home/u', dataHome: HOME })
  if (!opened.ok) throw opened.error
  expect(judgeCommand('shutdown now', opened.value, { cwd: '/' }).verdict).toBe('deny')
  expect(items.map(({ from, outcome }) => `${from} ${outcome}`)).toEqual([
    `${POLICY} converted`,
    `${POLICY}: mood left`,
    `${POLICY}: bash.slow left`,
    `${POLICY}: paths.attic left`,
  ])
})

it('takes a policy without these as it is, and leaves one that cannot be read', () => {
  const plain = 'version: "1.0"\nbash:\n  blocked:\n    - { pattern: mkfs, reason: no }\n'
  expect(move(plain)).toMatchObject({ content: plain, items: [{ outcome: 'taken' }] })
  expect(move('bash: [')).toMatchObject({ writes: [], items: [{ outcome: 'left' }] })
})
