import { Command } from 'commander'
import type { Io } from '../io.ts'
import { createEdgeBuildCommand } from './edge-build.ts'
import { createEdgeQueuesCommand } from './edge-queues.ts'
import { createEdgeUpCommand } from './edge-up.ts'

export const createEdgeCommand = (io: Io): Command =>
  new Command('edge')
    .description('Makes workers of your actions, pipelines and flows, and runs them here.')
    .addCommand(createEdgeBuildCommand(io))
    .addCommand(createEdgeUpCommand(io))
    .addCommand(createEdgeQueuesCommand(io))
