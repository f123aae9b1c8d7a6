export { createTelemetryModule } from './telemetry-module.ts'
