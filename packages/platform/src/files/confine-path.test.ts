import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { confinePath, isInside } from './confine-path.ts'

let home = ''
let output = ''
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'confine-')))
  output = join(home, 'OUTPUT')
  mkdirSync(output)
  mkdirSync(join(home, 'state'))
})
afterEach(() => rmSync(home, { recursive: true }))

const confine = (path: string) =>
  confinePath(path, { roots: [output], never: [join(home, 'state')] })
const isRefused = async (path: string) =>
  confine(path).then(
    () => false,
    (thrown: { code?: string }) => thrown.code === 'path_refused',
  )

describe('a path inside its folder', () => {
  it.each(['a.md', 'deep/er/a.md', './a.md', 'deep/../a.md', 'ünï ✓.md', '..a.md', 'a..b/c'])(
    'is accepted: %s',
    async (path) => {
      expect(await confine(path)).toBe(join(output, path))
    },
  )

  it('may be given whole, and through a link to the folder', async () => {
    symlinkSync(output, join(home, 'link'))
    expect(await confine(join(output, 'a.md'))).toBe(join(output, 'a.md'))
    expect(await confine(join(home, 'link', 'a.md'))).toBe(join(output, 'a.md'))
  })

  it('may be in a second folder', async () => {
    const notes = join(home, 'notes')
    const real = await confinePath(join(notes, 'new', 'a.md'), { roots: [output, notes] })
    expect(real).toBe(join(notes, 'new', 'a.md'))
  })
})

describe('a path that leads out', () => {
  it.each(['', '.', '..', '../x.md', '../../../x.md', 'a/../../x.md', '/etc/passwd', 'a\0b'])(
    'is refused: %j',
    async (path) => {
      expect(await isRefused(path)).toBe(true)
    },
  )

  it('is refused through a link to a folder, a file, and a file that does not exist', async () => {
    writeFileSync(join(home, 'other'), '')
    symlinkSync(home, join(output, 'folder'))
    symlinkSync('../other', join(output, 'file'))
    symlinkSync('../missing', join(output, 'dangling'))
    for (const path of ['folder/x.md', 'file', 'dangling', 'dangling/x.md']) {
      expect(await isRefused(path)).toBe(true)
    }
  })

  it('is refused in a circle of links', async () => {
    symlinkSync('b', join(output, 'a'))
    symlinkSync('a', join(output, 'b'))
    expect(await isRefused('a/x.md')).toBe(true)
  })

  it('is refused below a file', async () => {
    writeFileSync(join(output, 'file'), '')
    expect(await isRefused('file/x.md')).toBe(true)
  })
})

it('refuses what belongs to Steward, even where a root contains it', async () => {
  symlinkSync(join(home, 'state'), join(output, 'planted'))
  const roots = [home] as const
  for (const path of ['state', 'state/history.sqlite', 'OUTPUT/planted/history.sqlite']) {
    await expect(
      confinePath(path, { roots: [...roots], never: [join(home, 'state')] }),
    ).rejects.toMatchObject({ code: 'path_refused' })
  }
})

/** Names as attackers and file systems write them. */
const part = fc.oneof(
  fc.constantFrom('..', '.', '', 'a', 'b', 'link', 'state', '...', '~', '%2e%2e', '\\..', 'OUTPUT'),
  fc.string({ maxLength: 6 }),
)
const path = fc.array(part, { maxLength: 7 }).map((parts) => parts.join('/'))

it('whatever the path and the planted links, the answer is inside or an error of the table', async () => {
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.array(fc.tuple(fc.constantFrom('link', 'a', 'b', 'a/link'), path), { maxLength: 4 }),
      async (asked, planted) => {
        for (const [name, target] of planted) plant(join(output, name), target)
        try {
          const real = await confine(asked)
          expect(isInside(output, real) && real !== output).toBe(true)
          expect(realOf(real)).toBe(real)
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'path_refused' })
        }
        rmSync(output, { recursive: true })
        mkdirSync(output)
      },
    ),
    { numRuns: 300 },
  )
})

const plant = (place: string, target: string): void => {
  try {
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(target, place)
  } catch {
    // The name is taken or no path at all: there is then one link less.
  }
}

/** The real path of the deepest folder that exists, with the rest of the path as it is. */
const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return join(realOf(dirname(path)), path.slice(dirname(path).length))
  }
}
