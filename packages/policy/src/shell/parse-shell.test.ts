import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseShell } from './parse-shell.ts'
import type { Command, Script } from './syntax.ts'

const read = (text: string): Script => {
  const parsed = parseShell(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.script
}
const kinds = (text: string): string[] => read(text).items.map(({ command }) => command.kind)
const only = (text: string): Command => {
  const [item] = read(text).items
  if (item === undefined) throw new Error('nothing was read')
  return item.command
}
const simple = (text: string) => {
  const command = only(text)
  if (command.kind !== 'simple') throw new Error(`${command.kind} was read`)
  return command
}

describe('parseShell', () => {
  it('recognises the operators between commands', () => {
    const { items } = read('a && b || c; d & e\nf')
    expect(items.map(({ connector }) => connector)).toEqual(['&&', '||', ';', '&', ';', ';'])
  })

  it.each([
    ['a | b |& c', ['pipeline']],
    ['(a; b)', ['block']],
    ['{ a; }', ['block']],
    ['if a; then b; elif c; then d; else e; fi', ['if']],
    ['while a; do b; done; until a; do b; done', ['while', 'while']],
    ['for x in 1 2; do a; done', ['for']],
    ['for ((i=0; i<3; i++)); do a; done', ['for']],
    ['select x in a; do b; done', ['for']],
    ['case $x in a|b) c;; *) d;; esac', ['case']],
    ['f() { a; }; function g { b; }', ['function', 'function']],
    ['[[ -f a && $b == c* ]]', ['test']],
    ['((x++))', ['arithmetic']],
    ['# nothing', []],
    ['! a; time -p b; coproc c', ['simple', 'simple', 'simple']],
  ])('reads %s', (text, expected) => expect(kinds(text)).toEqual(expected))

  it('separates assignments, words and redirections', () => {
    const command = simple('A=1 B+=2 C=(x y) cmd -f "a b" >out 2>>err <in &>all')
    expect(command.assignments.map(({ name, append }) => [name, append])).toEqual([
      ['A', false],
      ['B', true],
      ['C', false],
    ])
    expect(command.words).toHaveLength(3)
    expect(command.redirects.map(({ operator, descriptor }) => descriptor + operator)).toEqual([
      '>',
      '2>>',
      '<',
      '&>',
    ])
  })

  it('reads here-documents below the line, quoted ones literally', () => {
    const [first, second] = simple("cat <<A <<-'B'\n$x\nA\n\t$y\n\tB\n").redirects
    expect(first?.body?.parts.map(({ kind }) => kind)).toEqual(['parameter', 'text'])
    expect(second?.body?.parts).toEqual([{ kind: 'text', text: '$y\n', quoted: true }])
    expect(kinds('cat <<A; b\nx\nA\nc')).toEqual(['simple', 'simple', 'simple'])
  })

  it.each([
    'echo "open',
    'if a; then',
    'a |',
    'a && && b',
    '(a',
    'case x in a) b',
    'for',
    'echo $(a',
    'fi',
    '<',
  ])('reports where %s is wrong', (text) => {
    const parsed = parseShell(text)
    expect(parsed).toMatchObject({ ok: false, message: expect.any(String) })
    if (!parsed.ok) expect(parsed.offset).toBeLessThanOrEqual(text.length)
  })

  it('parses or rejects any text without failing otherwise', () => {
    const piece = fc.constantFrom(
      ..."a $x ${x:-y} $(a) `a` \"a\" 'a' \\ \n ; ;; & && | || ( ) { } if then else fi while do done for in case esac function [[ ]] (( )) < > >> << <<< <( * ? [a] ~ = A= ! # $'\\x41' {a,b} EOF <<EOF".split(
        ' ',
      ),
      ' ',
      '\t',
    )
    const program = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(' '))
    fc.assert(
      fc.property(fc.oneof(program, fc.string({ unit: 'binary', maxLength: 80 })), (text) => {
        expect(typeof parseShell(text).ok).toBe('boolean')
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    '(',
    '{ ',
    '$((',
    '((',
    '${x',
    '${x:-',
    '"$(',
    '`',
    '<(',
    'if ',
    'f() ',
    '! ',
    'coproc ',
  ])('terminates on %s, however often it is repeated', (piece) =>
    expect(typeof parseShell(piece.repeat(20_000)).ok).toBe('boolean'),
  )

  it('gives every command a range within its text, in order', () => {
    const text = 'a b | c; (d && e); for x in 1; do f; done'
    let end = 0
    for (const { command } of read(text).items) {
      expect(command.start).toBeGreaterThanOrEqual(end)
      end = command.end
    }
    expect(end).toBe(text.length)
  })
})
