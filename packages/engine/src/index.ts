export * from './action/index.ts'
export * from './cron/cron-times.ts'
export * from './cron/interval.ts'
export * from './cron/parse-cron.ts'
export * from './digest/index.ts'
export * from './feed-format/index.ts'
export * from './feed-polling/index.ts'
export * from './fetch/index.ts'
export * from './flow/index.ts'
export * from './json-path/select-path.ts'
export * from './pipeline/index.ts'
export * from './queue/chunk-messages.ts'
export * from './queue/consume-batch.ts'
export * from './queue/send-all.ts'
export * from './s3/sign-s3-request.ts'
export { describeSchedule, describeSeconds } from './schedule/describe-schedule.ts'
export * from './schedule/edge-cron.ts'
export { describeTiming, startOf, timingOf } from './schedule/flow-timing.ts'
export type { WhenContext } from './schedule/found-schedule.ts'
export { firingsBetween, nextFiring, nextFirings } from './schedule/next-firing.ts'
export { parseWhen, readCron } from './schedule/parse-when.ts'
export {
  boundsOfDay,
  dayOf,
  formatInZone,
  instantOfWall,
  isZone,
  systemZone,
} from './schedule/zoned-time.ts'
export { type SignedRequest, signRequest, verifyRequest } from './webhook/schemes.ts'
export * from './webhook/sign-webhook.ts'
