import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRedactor, ensureHome, type Home, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { archiveAt } from '../files/archive-place.ts'
import { readLastHarvest } from '../harvest.ts'
import { loadArchive } from '../index/load-archive.ts'
import { removeNote } from '../write/trash.ts'
import { findLearnings } from './find-learnings.ts'
import { learnFromWork } from './learn-from-work.ts'
import { learnedSessions } from './learned-sessions.ts'

let home: Home
beforeEach(async () => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-learn-')) })
  await ensureHome(home)
})
afterEach(() => rmSync(home.root, { recursive: true, force: true }))

const STORED = 'WORK/20260301-100000_dates/SPEC.md'
const write = (learnings: string) => {
  mkdirSync(join(home.memory, STORED, '..'), { recursive: true })
  writeFileSync(
    join(home.memory, STORED),
    `---\ntask: Parse dates\n---\n## Criteria\n\n${learnings}`,
  )
}
const learn = async () => {
  const loaded = loadArchive(home.knowledge)
  await loaded.refresh()
  const redactor = createRedactor({ KEY: 'a-very-secret-value' })
  const now = () => new Date('2026-03-01T12:00:00Z')
  const learned = await learnFromWork({ home, loaded, redactor, now }, STORED)
  return learned.map(({ outcome, file }) => `${outcome} ${file}`)
}
const textOf = (file: string) => readFileSync(join(home.knowledge, file), 'utf8')

describe('learnings in a specification', () => {
  it('is one thing for each heading, in the domain it names', () => {
    const text =
      '## Learnings\n\nOn the whole it was easy.\n\n### Research: Weeks\n#### Deeper\nThey begin on Monday.\n### TBD\n-\n### Fences\n```\n## Criteria\n```\nkeep what follows them\n\n## Notes\nnot this here\n'
    expect(findLearnings(text, 'Dates')).toEqual([
      {
        id: 'learned',
        domain: 'Ideas',
        title: 'Learned: Dates',
        body: 'On the whole it was easy.',
      },
      {
        id: 'weeks',
        domain: 'Research',
        title: 'Weeks',
        body: '#### Deeper\nThey begin on Monday.',
      },
      {
        id: 'fences',
        domain: 'Ideas',
        title: 'Fences',
        body: '```\n## Criteria\n```\nkeep what follows them',
      },
    ])
    expect(findLearnings('## Plan\n### Learn\nnothing of ours\n', 'x')).toEqual([])
  })

  it('is looked for once a session is there', () => {
    const session = (phase: string) => ({ phase, isa: STORED })
    const sessions = {
      a: session('learn'),
      b: session('build'),
      c: session('complete'),
      d: { phase: 'complete' },
    }
    expect(learnedSessions({ sessions }).map(({ slug }) => slug)).toEqual(['a', 'c'])
    const old = { sessions: { a: { phase: 'learn', prd: `/x/MEMORY/${STORED}` } } }
    expect(learnedSessions(old)).toEqual([{ slug: 'a', specification: STORED }])
  })
})

describe('the writer of the LEARN phase', () => {
  it('writes each thing once, with its source, and without secrets', async () => {
    write('## Learnings\n\n### Research: Weeks\nThe key a-very-secret-value opens it.\n')
    expect(await learn()).toEqual(['written Research/weeks.md'])
    expect(textOf('Research/weeks.md')).toContain(`source: "${STORED}#weeks"`)
    expect(textOf('Research/weeks.md')).toContain('The key [redacted:KEY] opens it.')
    expect(readLastHarvest(home.knowledge)).toBe('2026-03-01T12:00:00.000Z')
    expect(await learn()).toEqual(['known Research/weeks.md'])
    // Simulates a kill before it was recorded: the note is found by its source.
    rmSync(join(home.stateDir, 'knowledge-learned.json'))
    expect(await learn()).toEqual(['kept Research/weeks.md'])
    expect(readdirSync(join(home.knowledge, 'Research'))).toEqual(['weeks.md'])
  })

  it('follows the specification until a person changes or removes the note', async () => {
    write('## Learnings\n### Weeks\nThey begin on Monday.\n')
    await learn()
    write('## Learnings\n### Weeks\nThey begin on Sunday.\n')
    expect(await learn()).toEqual(['updated Ideas/weeks.md'])
    expect(textOf('Ideas/weeks.md')).toContain('on Sunday')
    writeFileSync(
      join(home.knowledge, 'Ideas/weeks.md'),
      textOf('Ideas/weeks.md').replace('Sunday', 'any day'),
    )
    write('## Learnings\n### Weeks\nThey begin on Tuesday.\n')
    expect(await learn()).toEqual(['kept Ideas/weeks.md'])
    expect(textOf('Ideas/weeks.md')).toContain('on any day')
    const place = { domain: 'Ideas', slug: 'weeks' } as const
    await removeNote(archiveAt(home), place, {}, () => new Date(0))
    write('## Learnings\n### Weeks\nThey begin on Friday.\n')
    expect(await learn()).toEqual(['kept Ideas/weeks.md'])
    expect(readdirSync(join(home.knowledge, 'Ideas'))).toEqual([])
  })

  it('leaves a note of the same name alone and links to it', async () => {
    mkdirSync(join(home.knowledge, 'Ideas'), { recursive: true })
    writeFileSync(join(home.knowledge, 'Ideas/weeks.md'), 'mine')
    write('## Learnings\n### Weeks\nThey begin on Monday.\n')
    expect(await learn()).toEqual(['written Ideas/weeks-2.md'])
    expect(textOf('Ideas/weeks.md')).toBe('mine')
    expect(textOf('Ideas/weeks-2.md')).toContain('related: ["[[Ideas/weeks]]"]')
  })

  it('dates the harvest in a file that is otherwise the person’s', async () => {
    mkdirSync(home.knowledge, { recursive: true })
    const index = join(home.knowledge, '_index.md')
    writeFileSync(index, '# Mine\n\n**Last harvest:** never\n\nmore\n')
    write('## Learnings\n### Weeks\nThey begin on Monday.\n')
    await learn()
    expect(textOf('_index.md')).toBe(
      '# Mine\n\n**Last harvest:** 2026-03-01T12:00:00.000Z\n\nmore\n',
    )
    writeFileSync(index, Buffer.from([0xff]))
    write('## Learnings\n### Years\nThey begin in January.\n')
    await learn()
    expect(readFileSync(index)).toEqual(Buffer.from([0xff]))
  })

  it('reads only specifications', async () => {
    const loaded = loadArchive(home.knowledge)
    const ports = { home, loaded, redactor: createRedactor({}), now: () => new Date(0) }
    await expect(learnFromWork(ports, '../token')).rejects.toThrow('it is not a specification')
    await expect(learnFromWork(ports, STORED)).rejects.toThrow('specification not found')
  })
})
