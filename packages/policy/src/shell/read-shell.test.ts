import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readShell } from './read-shell.ts'

const read = (text: string) => readShell(text, { cwd: '/w', home: '/home/u' })
const touched = (text: string): string[] =>
  read(text).effects.flatMap((effect) =>
    effect.kind === 'read' || effect.kind === 'write' || effect.kind === 'delete'
      ? [`${effect.names ? 'names' : effect.kind} ${effect.path}`]
      : [],
  )

describe('readShell', () => {
  it.each([
    ['cat a > b', ['read /w/a', 'write /w/b']],
    ['cd sub; rm x', ['delete /w/sub/x']],
    ['mv a b', ['delete /w/a', 'write /w/b', 'write /w/b/a']],
    ['sed -i s/a/b/ f', ['write /w/f']],
    ["sed '1e rm x' f", ['read /w/f', 'delete /w/x']],
    ['git rm --cached a', []],
    ['ls secret', ['names /w/secret']],
    ['tar --remove-files -cf o.tar d', ['write /w/o.tar', 'read /w/d', 'delete /w/d']],
    ['fd -e log . d -x rm', ['read /w/d', 'delete /w/d/\uE002/\uE000.log']],
    ['/bin/unlin? f', ['delete /w/f']],
  ])('%s', (text, expected) => expect(touched(text)).toEqual(expected))

  it('runs what the command itself wrote', () => {
    expect(touched("echo 'rm x' > s.sh; sh s.sh")).toContain('delete /w/x')
    expect(touched("make -f - <<'E'\nall:\n\trm x\nE")).toContain('delete /w/x')
  })

  const growing: [string, (n: number) => string][] = [
    ['many commands', (n) => 'rm a;'.repeat(n)],
    ['nested loops', (n) => `${'for i in 1 2; do v=$i$v; '.repeat(n)}rm $v${'; done'.repeat(n)}`],
    ['nested substitutions', (n) => `${'echo $('.repeat(n)}rm a${')'.repeat(n)}`],
    ['nested shells', (n) => `${'eval '.repeat(n)}rm a`],
    ['wrappers', (n) => `${'nice '.repeat(n)}rm a`],
    ['braces', (n) => `rm ${'{a,b}'.repeat(n)}`],
    ['ranges', (n) => `rm ${'{1..99}'.repeat(n)}`],
    [
      'functions that call each other',
      (n) =>
        `${Array.from({ length: n }, (_, i) => `f${i}() { f${i + 1}; f${i + 1}; };`).join('')}f0`,
    ],
    ['alternatives', (n) => `${'if a; then v=1; else v=2; fi; w=$w$v;'.repeat(n)} rm $w`],
    ['pipes', (n) => `${'cat |'.repeat(n)} sh`],
    ['program patterns', (n) => '* ;'.repeat(n)],
  ]
  it.each(growing)('stays within bounds on %s', (_, build) => {
    for (const n of [3, 30, 1000]) {
      const { units, effects } = read(build(n))
      expect(units.length).toBeLessThan(10_000)
      expect(effects.length).toBeLessThan(50_000)
    }
  })

  it('says so when it did not read to the end', () => {
    const { effects } = read('rm a;'.repeat(3000))
    expect(effects.some(({ kind }) => kind === 'unresolved')).toBe(true)
    expect(read('a'.repeat(300_000)).problem).toContain('longer')
  })

  it('takes any program made of words and signs', () => {
    const name = fc.constantFrom(
      ...'rm cp mv find xargs git sed awk tar make python3 node ssh docker curl env sudo bash eval cd read set fd parallel tee dd vim npm kubectl psql [ test export'.split(
        ' ',
      ),
    )
    const argument = fc.oneof(
      fc.constantFrom('-rf', '-c', '-exec', '{}', ';', '--', '-e', '-I', '-x', '', '$x', '~', '*'),
      fc.string({ maxLength: 12 }),
    )
    const call = fc
      .tuple(name, fc.array(argument, { maxLength: 5 }))
      .map((words) => words.flat().join(' '))
    const joined = fc.tuple(call, fc.constantFrom('|', '&&', ';', '<', '>', '\n'), call)
    fc.assert(
      fc.property(
        fc.oneof(
          call,
          joined.map((parts) => parts.join(' ')),
        ),
        (text) => {
          expect(read(text).units.length).toBeLessThan(10_000)
        },
      ),
      { numRuns: 500 },
    )
  })
})
