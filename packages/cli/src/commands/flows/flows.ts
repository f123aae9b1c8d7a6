import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createListCommand } from '../list/list.ts'
import { createFlowsCostCommand } from './cost.ts'
import { createFlowsItemsCommand } from './items.ts'
import { createFlowsRetryCommand } from './retry.ts'

export const createFlowsCommand = (io: Io): Command =>
  new Command('flows')
    .description('List flows, their items and cost; retry items')
    .addCommand(createListCommand(io).description('List flows, or show one'), { isDefault: true })
    .addCommand(createFlowsItemsCommand(io))
    .addCommand(createFlowsRetryCommand(io))
    .addCommand(createFlowsCostCommand(io))
