import { describe, expect, it } from 'vitest'
import { inspectPrompt } from '../prompt/inspect-prompt.ts'
import { findLiterals } from './programs/code-literals.ts'
import { findSedResult, findSedRuns, findSedWrites } from './programs/sed-script.ts'
import { readShell } from './read-shell.ts'

const LENGTH = 150_000
const long = (part: string): string => part.repeat(Math.ceil(LENGTH / part.length))
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

describe('a long command', () => {
  // Quadratic time would be minutes for each, so it is enough that these return.
  it.each([
    ['unclosed classes', `echo ${long('[')}`],
    ['unclosed classes in find', `find . -name ${quoted(long('['))} -delete`],
    ['slashes', `basename ${long('/')}x; dirname ${long('/')}x`],
    ['one long name', `dirname ${long('a')}/b`],
    ['letters of mktemp', `mktemp /tmp/${long('X')}y`],
    ['letters of ps', `ps ${long('e')}1`],
    ['digits in a name', `${long('1')}x`],
    ['spaces in an editor command', `vim -c ${quoted(`silent${long(' ')}x`)} f`],
    ['options in a container', `docker exec c rm ${`-${long('r')}!`}`],
    ['spaces in a debugger', `gdb -ex ${quoted(`shell${long(' ')}`)}`],
    ['escapes of psql', `psql -c ${quoted(`${long('\\! a')}\r`)}`],
    ['spaces after a pipe of psql', `psql -c ${quoted(`\\g${long(' ')}`)}`],
    ['spaces in gnuplot', `gnuplot -e ${quoted(`system${long(' ')}`)}`],
    [
      'unclosed braces',
      `fd . -x echo ${quoted(long('{'))}; echo a | parallel ${quoted(long('{'))}`,
    ],
    ['marks of a recipe', `make -f - <<'EOF'\n\t${long('+')}\nEOF`],
    ['colons of a rule', `make -f - <<'EOF'\ng${long(':')}\n${long('$(shell ')}\nEOF`],
    ['commas of an address', `socat - ${quoted(`exec:${long(',')}\n`)}`],
    ['calls in code', `python3 -c ${quoted(long('open('))}`],
    ['spaces in code', `perl -e ${quoted(`open${long(' ')}`)}`],
    ['quotes in code', `python3 -c ${quoted(long("'\\"))}`],
    ['lines of tcl', `tclsh <<'EOF'\n${long('\n')}x\nEOF`],
    ['addresses of sed', `sed ${quoted(`${long('1')}x`)} f`],
    ['substitutions of sed', `sed ${quoted(long('s/a'))} f`],
    ['substitutions of sed that write', `sed ${quoted(long(' s|a'))} f`],
    ['newlines of a substitution', `x "$(printf a${long('\\n')})b"`],
  ])('is read in a bounded time: %s', (_, command) => {
    expect(readShell(command, { cwd: '/w', home: '/home/u' }).units.length).toBeGreaterThan(0)
  })

  it.each([
    ['lines', long('\n')],
    ['spaces', `what${long(' ')}`],
    ['questions', long('what.')],
  ])('is read in a bounded time as a prompt: %s', (_, prompt) => {
    expect(inspectPrompt(prompt)).toBeDefined()
  })
})

describe('a sed script', () => {
  it.each([
    ['1e ls', ['ls']],
    ['/a/,/b/e', ['']],
    ['p;e rm x', ['rm x']],
    ['p\n  $ e id', ['id']],
    ['s/e/x/', []],
  ])('%j runs %j', (script, expected) => expect(findSedRuns(script)).toEqual(expected))

  it.each([
    ['s/a/rm x/e', 'rm x'],
    ['p;s|a|b/c|ge', 'b/c'],
    ['s/a/b/;s,c,id,e', 'id'],
    ['s/a/b/g', undefined],
    ['s/a/b', undefined],
  ])('%j runs the replacement %j', (script, expected) =>
    expect(findSedResult(script)).toBe(expected),
  )

  it.each([
    ['w out', ['out']],
    ['s/a/b/w out', ['out']],
    ['s|a|b|gw out', ['out']],
    ['s,a,b,', []],
  ])('%j writes %j', (script, expected) => expect(findSedWrites(script)).toEqual(expected))
})

it('finds the literals of code', () => {
  expect(findLiterals(`a("x\\"y", 'z', \`q\nr\`) 'open "in" b`)).toEqual([
    'x\\"y',
    'z',
    'q\nr',
    'in',
  ])
  expect(findLiterals('"a\n"b"')).toEqual(['b'])
})
