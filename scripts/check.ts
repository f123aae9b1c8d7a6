/** `npm run check`: format and lint, types, import rules, generated files. Runs all of them, then says which failed. */
import { spawnSync } from 'node:child_process'

const checks: Array<[name: string, command: string, args: string[]]> = [
  ['format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['types', 'tsc', ['--noEmit']],
  ['pages', 'svelte-check', ['--workspace', 'packages/dashboard', '--fail-on-warnings']],
  ['import rules', 'depcruise', ['--config', '.dependency-cruiser.mjs', 'packages', 'library']],
  ['generated files', 'node', ['scripts/generate.ts', '--check']],
]

const failed = checks.filter(([name, command, args]) => {
  console.log(`\n== ${name}`)
  return spawnSync(command, args, { stdio: 'inherit' }).status !== 0
})

if (failed.length > 0) {
  console.error(`\nchecks failed: ${failed.map(([name]) => name).join(', ')}`)
  process.exit(1)
}
console.log('\nall checks passed')
