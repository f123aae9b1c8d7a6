import { describePrimitive, type Listing, listCatalog } from '@steward/runner'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { withSteward } from '../../setup/open-local.ts'
import { listNames } from './list-names.ts'
import { renderListing } from './render-listing.ts'
import { renderPrimitive } from './render-primitive.ts'

interface ListFlags {
  json?: true
  names?: true
}

const HELP = `
Examples:
  steward list                    everything, yours and built-in
  steward list A_SUMMARIZE        what it takes and what it gives
  steward list --json             the same for programs
  steward list --names            names alone, one a line

What does not load is listed with its error.
`

const KINDS = ['actions', 'pipelines', 'flows'] as const

export const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('Shows actions, pipelines and flows, or one of them.')
    .argument('[name]', 'A_…, P_… or F_…')
    .option('--json', 'print JSON')
    .option('--names', 'print names alone, one a line')
    .addHelpText('after', HELP)
    .action((name: string | undefined, flags: ListFlags) =>
      withSteward(io, async (steward) => {
        if (name !== undefined) {
          const described = await describePrimitive(steward.catalog, name)
          if (flags.json) printJson(io.out, described)
          else io.out.write(renderPrimitive(described, io.out.paint))
          return
        }
        if (flags.names) {
          const kinds = KINDS.filter((kind) => kind === io.args[0])
          const names = listNames(steward.catalog, kinds.length === 0 ? KINDS : kinds)
          io.out.write(names.map((found) => `${found}\n`).join(''))
          return
        }
        const listing = narrow(await listCatalog(steward.catalog), io.args[0])
        if (flags.json) printJson(io.out, listing)
        else io.out.write(renderListing(listing, io.out))
      }),
    )

/** `steward actions` is `steward list` for actions alone. */
const narrow = (listing: Listing, word: string | undefined): Partial<Listing> => {
  const kind = KINDS.find((name) => name === word)
  return kind === undefined ? listing : { [kind]: listing[kind] }
}
