export { createNotifyModule } from './notify-module.ts'
