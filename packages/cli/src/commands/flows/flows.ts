import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createListCommand } from '../list/list.ts'
import { createFlowsCostCommand } from './cost.ts'

export const createFlowsCommand = (io: Io): Command =>
  new Command('flows')
    .description('List flows or estimate their daily cost')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createFlowsCostCommand(io))
