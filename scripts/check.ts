/**
 * `npm run check`: format and lint, types, import rules, folders, unused exports, generated files.
 * Runs all of them in parallel, because each keeps one core busy, and prints their output, then
 * which failed.
 */
import { runAside } from './testing/run-aside.ts'

const checks: Array<[name: string, command: string, args: string[]]> = [
  ['types', 'tsc', ['--noEmit']],
  ['pages', 'svelte-check', ['--workspace', 'packages/dashboard', '--fail-on-warnings']],
  ['import rules', 'depcruise', ['--config', '.dependency-cruiser.mjs', 'packages', 'library']],
  ['folders', 'node', ['scripts/check-folders.ts']],
  ['unused exports', 'knip', ['--include', 'exports,types', '--no-progress', '--no-config-hints']],
  ['format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['generated files', 'node', ['scripts/generate.ts', '--check']],
]

const outcomes = await Promise.all(
  checks.map(async ([name, command, args]) => {
    const { isGood, said } = await runAside(command, args)
    console.log(`\n== ${name}\n${said}`)
    return { name, isGood }
  }),
)
const failed = outcomes.flatMap(({ name, isGood }) => (isGood ? [] : [name]))

if (failed.length > 0) {
  console.error(`\nchecks failed: ${failed.join(', ')}`)
  process.exit(1)
}
console.log('\nall checks passed')
