import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { COMPLETION_SCRIPTS } from './completion.ts'

let bin: string
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'steward-completion-'))
  const program = '#!/bin/sh\nprintf "%s\\n" "A name" "$*"\n'
  writeFileSync(join(bin, 'steward'), program, { mode: 0o755 })
})
afterEach(() => rmSync(bin, { recursive: true, force: true }))

/** What bash offers for a line, without the built-ins that the version of macOS lacks. */
const completeInBash = (...words: string[]): string[] => {
  const script = [
    'enable -n mapfile readarray',
    COMPLETION_SCRIPTS.bash,
    'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _steward',
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n')
  const env = { PATH: `${bin}${delimiter}${process.env.PATH}` }
  const args = ['--norc', '--noprofile', '-c', script, 'bash', ...words]
  return execFileSync('bash', args, { env, encoding: 'utf8' }).trimEnd().split('\n')
}

test('bash passes on the words up to the cursor and offers one candidate per line', () => {
  expect(completeInBash('steward', 'runs', 'show', 'a b')).toEqual([
    'A name',
    '__complete -- runs show a b',
  ])
})

test('zsh loads its completion system where the user has not', () => {
  expect(COMPLETION_SCRIPTS.zsh).toMatch(/^\(\( \$\+functions\[compdef\] \)\) \|\| .*compinit/)
})

test('each shell completes files where Steward has no candidates', () => {
  expect(COMPLETION_SCRIPTS.bash).toContain('complete -o default ')
  expect(COMPLETION_SCRIPTS.zsh).toContain('|| _files')
  expect(COMPLETION_SCRIPTS.fish).toContain('__fish_complete_path')
})
