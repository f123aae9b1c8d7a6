import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Cli } from '../cli-process.ts'

/** Mara's files besides the notes: a handbook, her assistant's identity, settings. */
export const writeOwnFiles = (cli: Cli, timezone: string): void => {
  const settings = {
    voice: { provider: 'browser' },
    assistant: { timezone },
    wiki: { directories: { handbook: '~/handbook' } },
  }
  cli.write('settings.json', JSON.stringify(settings))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(cli.files, path)), { recursive: true })
    writeFileSync(join(cli.files, path), text)
  }
  write(
    '.claude/settings.json',
    `${JSON.stringify({ permissions: { deny: ['Bash(gauge reset *)'] } }, null, 2)}\n`,
  )
  write(
    'handbook/gauges.md',
    '# Gauges\n\n## When one is silent\n\nCall [[wattline]]: the logger restarts. See [[marks]].\n',
  )
  write('handbook/marks.md', '# Marks\n\nA gauge above its mark is a warning.\n')
  // Some file systems would give both files the same time, and lists are sorted by time.
  const now = Date.now()
  utimesSync(join(cli.files, 'handbook/gauges.md'), new Date(now), new Date(now))
  utimesSync(join(cli.files, 'handbook/marks.md'), new Date(now), new Date(now + 10))
  cli.write(
    'USER/ASSISTANT/identity.md',
    `---
name: Wilma
full_name: Wilma of the tides
color: "#1f6f8b"
role: looks after the warnings
principal: Mara
---
Named after the first tide gauge she read.
`,
  )
  cli.write(
    'USER/ASSISTANT/personality.yaml',
    `# Who Wilma is.
base_description: Calm, and brief at night.
traits:
  warmth: 70 # from 65
  precision: 90
anchors:
  - { name: the log, description: what is not written down did not happen }
preferences:
  what_i_love: [quiet nights]
  what_i_dislike: [alarms that cry wolf]
  working_style: [one thing at a time]
  intellectual_interests: [tides]
companion: { name: Tern, species: tern, personality: loud }
relationship: { dynamic: colleagues, interaction_style: plain }
autonomy:
  can_initiate: [notify]
  must_ask: [script]
writing: { style: short, avoid: [exclamation marks], prefer: [numbers] }
`,
  )
}
