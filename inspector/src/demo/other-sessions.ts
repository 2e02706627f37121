import { append, type Cast, call, calls, create, on, patch, result, type Step, says, user } from './script.ts'

/** Two small sessions beside the conversation: one that was given up, one that an agent works on by itself. */
export function otherSessions(cast: Cast): Step[] {
  return [...givenUp(cast), ...byItself(cast)]
}

function givenUp(cast: Cast): Step[] {
  const { conversationId, analyst } = cast
  return [
    create(
      'aborted',
      { ...cast, conversationId: `${conversationId}-sdk` },
      {
        chatmode: 'engineering',
        agent: analyst,
        task: 'Upgrade the payment SDK to version 9',
        gitBranch: 'chore/payment-sdk-9',
        metadata: { service: 'checkout', ticket: 'CHK-402' },
      },
    ),
    append('aborted', [
      user('Version 8 of the payment SDK is out of support in May. Can we move to 9 this week?'),
      says(analyst, 'I will read the notes of the release first, then run our tests against it.', [
        call('sdk-1', 'read_changelog', { package: 'payment-sdk', from: '8.4.1', to: '9.0.0' }),
      ]),
      result('sdk-1', '9.0.0: needs TLS 1.3 on both sides. `charge()` gives a promise. Amounts are in minor units.'),
      says(analyst, '`9.0.0` needs **TLS 1.3**, which our egress proxy does not speak before it is replaced in June.'),
      user('Then let it be for now.'),
    ]),
    on('aborted', 'abort', { reason: 'The egress proxy speaks no TLS 1.3 before June; nothing to gain until then' }),
  ]
}

function byItself(cast: Cast): Step[] {
  const { conversationId, planner } = cast
  return [
    create(
      'running',
      { ...cast, conversationId: `${conversationId}-report` },
      {
        chatmode: 'reports',
        agent: planner,
        task: 'Weekly report: errors of the checkout service',
        workflow: 'weekly-report',
        metadata: { service: 'checkout', schedule: 'Mondays 07:00' },
      },
    ),
    append('running', [
      user('Write the weekly report on errors at checkout, for people who do not read logs.'),
      calls(planner, call('report-1', 'query_metrics', { metric: 'checkout_errors_total', range: '7d', by: 'reason' })),
      result('report-1', 'timeout 412\ncard_declined 3077\ndouble_charge 9\nother 31'),
      says(planner, 'Four reasons this week. **Declined cards** are nothing of ours; the nine double charges are.'),
    ]),
    patch('running', 'state', { current_task: 'Draft the report', sections: ['What happened', 'Whom it hit'] }),
  ]
}
