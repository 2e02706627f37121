import { append, type Cast, call, calls, create, on, patch, result, type Step, says, user } from './script.ts'

/** Two small sessions beside the conversation: one that was aborted, one that is running. */
export function otherSessions(cast: Cast): Step[] {
  const { conversationId, planner, analyst } = cast
  return [
    create(
      'aborted',
      { ...cast, conversationId: `${conversationId}-driver` },
      {
        agent: analyst,
        task: 'Upgrade the database driver to version 9',
        gitBranch: 'chore/driver-9',
        metadata: { service: 'gateway', ticket: 'GW-402' },
      },
    ),
    append('aborted', [
      user('Version 8 of the driver is out of support in May. Can we move to 9 this week?'),
      says(
        analyst,
        'I read the release notes first, then run our tests against it.',
        call('driver-1', 'read_changelog', { package: 'database-driver', from: '8.4.1', to: '9.0.0' }),
      ),
      result('driver-1', '9.0.0: requires TLS 1.3 on both sides. `query()` returns a promise.'),
      says(analyst, '`9.0.0` requires **TLS 1.3**, which our proxy supports only after its replacement in June.'),
      user('Then leave it for now.'),
    ]),
    on('aborted', 'abort', { reason: 'The proxy does not support TLS 1.3 before June' }),
    create(
      'running',
      { ...cast, conversationId: `${conversationId}-report` },
      {
        chatmode: 'reports',
        agent: planner,
        task: 'Weekly report: connection errors of the gateway',
        workflow: 'weekly-report',
        metadata: { service: 'gateway', schedule: 'Mondays 07:00' },
      },
    ),
    append('running', [
      user('Write the weekly report on connection errors, for people who do not read logs.'),
      calls(planner, call('report-1', 'query_metrics', { metric: 'connect_errors_total', range: '7d', by: 'reason' })),
      result('report-1', 'timeout 412\nrefused 77\ntoo_many_connections 13'),
      says(planner, 'Three causes this week. **Timeouts** are by far the most frequent.'),
    ]),
    patch('running', 'state', { current_task: 'Draft the report', sections: ['What happened', 'Who was affected'] }),
  ]
}
