import { describe, expect, it } from 'vitest'
import { showMarked } from './marks.ts'
import { readShell } from './read-shell.ts'

/** The arguments that `x` would receive. */
const argumentsOf = (text: string): string[] => {
  const { effects } = readShell(text, { cwd: '/w', home: '/home/u', environment: { E: 'env' } })
  const run = effects.findLast((effect) => effect.kind === 'run' && effect.program === 'x')
  return run?.kind === 'run' ? run.argv.slice(1).map(showMarked) : ['not run']
}

describe('word expansion', () => {
  it.each([
    ['x \'a b\' "c d" e\\ f', ['a b', 'c d', 'e f']],
    ["x $'\\x72\\155' ''", ['rm', '']],
    ['x ~ ~/a ~root "~"', ['/home/u', '/home/u/a', '/root', '~']],
    ['x $HOME ${HOME}/b $E', ['/home/u', '/home/u/b', 'env']],
    ['x {a,b}c {1..3}', ['ac', 'bc', '1', '2', '3']],
    ['x *.ts a?b', ['*.ts', 'a?b']],
    ['x "*.ts"', ['*.ts']],
    ['v="a b"; x $v "$v"', ['a', 'b', 'a b']],
    ['v=ab; v+=c; x $v', ['abc']],
    ['a=(p q r); x "${a[@]}"', ['p', 'q', 'r']],
    ['v=a.tar.gz; x ${v%.*} ${v%%.*} ${v#*.} ${v##*.}', ['a.tar', 'a', 'tar.gz', 'gz']],
    ['v=hello; x ${v/l/L} ${v//l/L} ${v^^} ${v:1:3}', ['heLlo', 'heLLo', 'HELLO', 'ell']],
    ['v=abc; x ${v//*/X} ${v/*b/X} ${v//?/X} ${v/b*/X} ${v/d*/X}', ['X', 'Xc', 'XXX', 'aX', 'abc']],
    ['v=abc; x [${v#*}] [${v##*}] [${v%*}] [${v%%*}]', ['[abc]', '[]', '[abc]', '[]']],
    ['v=a.b.c.d; x ${v#*.*.} ${v##*.*.} ${v%.*.*} ${v%%.*.*.*}', ['c.d', 'd', 'a.b', 'a']],
    ['x ${unset:-d} ${unset:=e}', ['d', 'e']],
    ['IFS=,; v=a,b; x $v', ['a', 'b']],
    ['set -- p q; x "$2" "$1" $#', ['q', 'p', '<value>']],
    ['x $(echo a b) "$(echo a b)" `echo c`', ['a', 'b', 'a b', 'c']],
    ['x $(printf %s-%s a b)', ['a-b']],
    ['x $((1+1))', ['<value>']],
    ['x $UNHEARD_OF', ['<unknown>']],
    ['f() { x "$1" "$@"; }; f p q', ['p', 'p', 'q']],
    ['cd /a && x $PWD', ['/a']],
    ['for v in 1 2; do x $v; done', ['1', '2']],
    ['read v <<< "in put"; x "$v"', ['in put']],
  ])('%s', (text, expected) => expect(argumentsOf(text)).toEqual(expected))

  it.each(['%', '%%', '#', '##', '/', '//'])(
    'bounds the work of %s on a long value',
    (operator) => {
      // A regular expression with these stars would not end, so the test only checks that this returns.
      const [value, pattern] = ['ab'.repeat(1000), '*a*b'.repeat(24)]
      expect(argumentsOf(`v=${value}; x \${v${operator}${pattern}!}`)).toEqual([value])
      expect(argumentsOf(`v=${value.repeat(20)}; x \${v${operator}${pattern}!}`)).toEqual([
        '<unknown>',
      ])
    },
  )
})
