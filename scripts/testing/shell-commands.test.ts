import { expect, test } from 'vitest'
import { stewardCommandsIn } from './shell-commands.ts'

test.each<[shell: string, commands: string[][]]>([
  ['steward runs', [['runs']]],
  ['$ npx steward runs show last   # the latest\nsome output', [['runs', 'show', 'last']]],
  ['cat a.json | steward run A_B --local < in > out', [['run', 'A_B', '--local']]],
  ['KEY=1 node_modules/.bin/steward list & sleep 8; kill $!', [['list']]],
  [`steward run A_B '{"a": "b c"}' --t "it's"`, [['run', 'A_B', '{"a": "b c"}', '--t', "it's"]]],
  ['steward edge build \\\n  --json && steward deploy', [['edge', 'build', '--json'], ['deploy']]],
  ['sqlite3 steward.db\necho steward', []],
])('%j', (shell, commands) => {
  expect(stewardCommandsIn(shell)).toEqual(commands)
})
