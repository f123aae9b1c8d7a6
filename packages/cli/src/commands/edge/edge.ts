import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createEdgeBuildCommand } from './build.ts'
import { createEdgeInstallCommand, createEdgeUninstallCommand } from './install.ts'
import { createEdgeQueuesCommand } from './queues.ts'
import { createEdgeUpCommand } from './up.ts'

export const createEdgeCommand = (io: Io): Command =>
  new Command('edge')
    .description('Build workers from your definitions and run them here')
    .addCommand(createEdgeBuildCommand(io))
    .addCommand(createEdgeUpCommand(io))
    .addCommand(createEdgeQueuesCommand(io))
    .addCommand(createEdgeInstallCommand(io))
    .addCommand(createEdgeUninstallCommand(io))
