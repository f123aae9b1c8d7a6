import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createFeedsAddCommand } from './add.ts'
import { createFeedsExportCommand } from './export.ts'
import { createFeedsImportCommand } from './import.ts'
import { createFeedsListCommand } from './list.ts'
import { createFeedsRemoveCommand } from './remove.ts'
import { createFeedsRetryCommand } from './retry.ts'

const HELP = `
Examples:
  steward feeds                                    your feeds and how they are
  steward feeds add https://example.com/feed.xml
  steward feeds import subscriptions.opml          what another reader exported
  steward feeds retry https://example.com/feed.xml

They are kept in USER/FLOWS/feeds.json. F_FEEDS_POLLER checks them, F_FEEDS_PROCESSOR works on
what is new: steward trigger F_FEEDS_POLLER, then steward trigger F_FEEDS_PROCESSOR.
`

export const createFeedsCommand = (io: Io): Command =>
  new Command('feeds')
    .description('The feeds that the poller reads, and how they are.')
    .addCommand(createFeedsListCommand(io), { isDefault: true })
    .addCommand(createFeedsAddCommand(io))
    .addCommand(createFeedsRemoveCommand(io))
    .addCommand(createFeedsImportCommand(io))
    .addCommand(createFeedsExportCommand(io))
    .addCommand(createFeedsRetryCommand(io))
    .addHelpText('after', HELP)
