import { Argument, Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { openAssistantClient } from './assistant-client.ts'

export const createOpinionsCommand = (io: Io): Command =>
  new Command('opinions')
    .description('List and add opinions, and add evidence')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createAddCommand(io))
    .addCommand(createEvidenceCommand(io))

const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('List opinions and their confidence')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { opinions } = await (await openAssistantClient(io)).call('listOpinions')
      if (json) return printJson(io.out, { opinions })
      const rows = opinions.map(({ id, confidence, evidence_count, position }) => [
        id,
        confidence.toFixed(2),
        String(evidence_count),
        cleanText(position),
      ])
      io.out.write(formatTable([['ID', 'CONFIDENCE', 'EVIDENCE', 'POSITION'], ...rows]))
    })

const createAddCommand = (io: Io): Command =>
  new Command('add')
    .description('Add an opinion; its confidence starts at one half')
    .argument('<topic>', 'its topic')
    .argument('<position...>', 'the opinion, in one sentence')
    .option('--json', 'print JSON')
    .action(async (topic: string, position: string[], { json }: { json?: true }) => {
      const client = await openAssistantClient(io)
      const body = { topic, position: position.join(' ') }
      const added = await client.call('addOpinion', { body })
      if (json) return printJson(io.out, added)
      io.out.write(`${added.id} added, confidence ${added.confidence.toFixed(2)}\n`)
    })

const createEvidenceCommand = (io: Io): Command =>
  new Command('evidence')
    .description('Add evidence for or against an opinion')
    .argument('<id>', 'the opinion')
    .addArgument(new Argument('<stance>', 'for or against').choices(['for', 'against']))
    .argument('[note...]', 'the evidence')
    .option('--key <key>', 'evidence with the same key counts once')
    .option('--json', 'print JSON')
    .action(
      async (
        id: string,
        stance: 'for' | 'against',
        note: string[],
        { key, json }: { key?: string; json?: true },
      ) => {
        const client = await openAssistantClient(io)
        const body = {
          stance,
          ...(note.length === 0 ? {} : { note: note.join(' ') }),
          ...(key === undefined ? {} : { key }),
        }
        const held = await client.call('addEvidence', { params: { id }, body })
        if (json) return printJson(io.out, held)
        const counts = `${held.for} for, ${held.against} against`
        io.out.write(`${held.id}: ${counts}, confidence ${held.confidence.toFixed(2)}\n`)
      },
    )
